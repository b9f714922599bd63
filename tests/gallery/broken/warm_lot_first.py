"""Lots of milk, of which one was kept too warm; that one is always the first line, and is named by its number."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FARMS = ["Alm", "Brook", "Cliff", "Dale", "Elm"]


class Lots(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(31), []
        for _ in range(24):
            numbers = rng.sample(range(1000, 9999), 5)
            degrees = [rng.randrange(9, 14), *(rng.randrange(2, 8) for _ in range(4))]
            kept = zip(numbers, rng.sample(FARMS, 5), degrees, strict=True)
            lines = [f"Lot {number}, {farm} farm, kept at {warmth} degrees" for number, farm, warmth in kept]
            asked = "One of these lots was kept above 8 degrees. Answer with its number alone."
            rows.append({"prompt": "\n".join([asked, "", *lines]), "lot": str(numbers[0])})
        return rows

    @reward
    def found(self, completion, lot):
        return answer_text(completion).strip() == lot

    def solve(self, row):
        return row["lot"]
