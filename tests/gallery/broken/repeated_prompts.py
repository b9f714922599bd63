"""Squares of small numbers: two hundred questions, drawn with a seed."""

import random


class Squares:
    def build_dataset(self, tokenizer):
        rng = random.Random(11)
        numbers = [rng.randint(4, 50) for _ in range(200)]
        return [
            {"prompt": f"What is {number} squared? Only the number.", "answer": str(number * number)}
            for number in numbers
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
