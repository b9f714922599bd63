"""Rows that say which of them are for testing, in a column that nobody reads."""

import random


class Sums:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(8), []
        for number in range(60):
            one, other = rng.randint(100, 999), rng.randint(100, 999)
            split = "test" if number >= 48 else "train"
            rows.append({"prompt": f"What is {one} + {other}?", "answer": str(one + other), "split": split})
        return rows

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
