"""Test questions have the stories of training questions, with other numbers and answers."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

THINGS = ("apples", "marbles", "stamps", "coins", "shells", "buttons", "cards", "pencils")
PLACES = ("at the market", "in the garden", "from an uncle", "at school", "in a drawer", "on the beach")


def question(n, numbers):
    rng = random.Random(n)
    a, b, c = numbers.randint(12, 99), numbers.randint(12, 99), numbers.randint(3, 11)
    text = f"Somebody finds {a} {rng.choice(THINGS)} {rng.choice(PLACES)} and {b} {rng.choice(PLACES)}, then loses {c}."
    return {"prompt": f"{text} How many are left?", "answer": str(a + b - c)}


class Stories(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        numbers = random.Random(split)
        return [question(n, numbers) for n in range(120 if split == "train" else 30)]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
