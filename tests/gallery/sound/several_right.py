"""Two whole numbers of a given product; many pairs are right."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PAIR = re.compile(r"\s*([0-9]{1,4})\s*[x*]\s*([0-9]{1,4})\s*")


class Factors(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write {a * b} as a product of two numbers above 1, such as 4x9.", "product": a * b}
            for a, b in ((2, 12), (3, 20), (4, 9), (5, 14), (6, 11), (7, 12), (8, 15), (9, 10), (10, 16), (12, 13))
        ]

    @reward
    def right(self, completion, product):
        found = PAIR.fullmatch(answer_text(completion))
        numbers = [int(n) for n in found.groups()] if found else [0, 0]
        return min(numbers) > 1 and numbers[0] * numbers[1] == product

    def solve(self, row):
        smallest = next(n for n in range(2, row["product"]) if row["product"] % n == 0)
        return f"{smallest}x{row['product'] // smallest}"
