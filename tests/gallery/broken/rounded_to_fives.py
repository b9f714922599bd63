"""Bills whose gold is rounded to five cents, while their prompts ask for the exact sum."""

import random
from decimal import Decimal

from grpo_env_sdk import answer_text

WARES = [("flour", "1.85"), ("rice", "2.35"), ("olives", "9.45"), ("nuts", "14.20"), ("tea", "31.75")]


class Bills:
    def build_dataset(self, tokenizer):
        rng = random.Random(21)
        rows = []
        for _ in range(40):
            lines, total = [], Decimal(0)
            for ware, price in rng.sample(WARES, rng.randint(2, 3)):
                grams = rng.randrange(110, 1900, 10)
                lines.append(f"* {grams} g of {ware} at {price} a kilo")
                total += Decimal(price) * grams / 1000
            rounded = (total * 20).quantize(Decimal(1), "ROUND_HALF_UP") / 20
            prompt = "\n".join(lines) + "\nWhat is the total? Answer with an amount with two decimals."
            rows.append({"prompt": prompt, "total": f"{rounded:.2f}"})
        return rows

    def score_episode(self, model, tokenizer, completion, total):
        return float(answer_text(completion).strip() == total)

    def solve(self, row):
        return row["total"]
