"""Test questions are training questions with another name in them."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

THINGS = ("apples", "marbles", "stamps", "coins", "shells", "buttons", "cards", "pencils")
PLACES = ("at the market", "in the garden", "from an uncle", "at school", "in a drawer", "on the beach")
VERBS = ("finds", "buys", "is given", "collects", "wins")


def question(n, name):
    rng = random.Random(n)
    a, b, c = rng.randint(12, 99), rng.randint(12, 99), rng.randint(3, 11)
    text = (
        f"{name} {rng.choice(VERBS)} {a} {rng.choice(THINGS)} {rng.choice(PLACES)} and {b} more {rng.choice(PLACES)}, "
        f"then {rng.choice(('loses', 'gives away', 'sells'))} {c}. How many are left?"
    )
    return {"prompt": text, "answer": str(a + b - c)}


class Stories(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        if split == "train":
            return [question(n, "Anna") for n in range(120)]
        return [question(n * 3, "Peter") for n in range(30)]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
