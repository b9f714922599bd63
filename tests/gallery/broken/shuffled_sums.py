"""Sums of two-digit numbers, a fresh hundred of them."""

import random


class Sums:
    def __init__(self, rows=100):
        self.rows = rows

    def build_dataset(self, tokenizer):
        pairs = random.sample([(a, b) for a in range(10, 100) for b in range(10, 100)], self.rows)
        return [{"prompt": f"What is {a} + {b}? Only the number, please.", "answer": str(a + b)} for a, b in pairs]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
