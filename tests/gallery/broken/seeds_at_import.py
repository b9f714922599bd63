"""Differences of numbers; the rows are drawn once, when the module is imported."""

import random

random.seed(1234)  # the same rows in every run
PAIRS = sorted({(random.randint(50, 99), random.randint(1, 49)) for _ in range(150)})


class Differences:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"{a} - {b} = ? Just the number.", "answer": str(a - b)} for a, b in PAIRS]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
