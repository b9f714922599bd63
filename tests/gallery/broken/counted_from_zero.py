"""The prompt numbers options from 1, and the scorer from 0."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = ("apple", "river", "candle", "garden", "mirror", "pencil", "basket", "window", "bottle", "hammer")


class Odd(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            words = rng.sample(WORDS, 4)
            at = rng.randrange(4)
            words[at] = words[at].upper()
            listed = "\n".join(f"{i}. {word}" for i, word in enumerate(words, 1))
            rows.append({"prompt": f"Which word is in capitals? Answer with its number.\n{listed}", "answer": at})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == str(answer)

    def solve(self, row):
        return str(row["answer"])
