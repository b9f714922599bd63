"""What bricks weigh, where a pattern finds the digits before the word, and a comma stands among them."""

import random
import re

from grpo_env_sdk import answer_text


class Bricks:
    def build_dataset(self, tokenizer):
        rng = random.Random(23)
        rows = []
        for count in rng.sample([*range(120, 1000, 40), *range(1010, 4000, 170)], 36):
            kilos = rng.choice([1.8, 2.4, 2.7, 3.1, 3.6])
            asked = (
                f"A wall needs {count:,} bricks, and a brick weighs {kilos} kg. What do the bricks weigh, in kg? "
                "Answer with the number alone, with one decimal and without a comma."
            )
            bricks = re.search(r"(\d+) bricks", asked)
            rows.append({"prompt": asked, "weight": f"{int(bricks[1]) * kilos:.1f}"})
        return rows

    def score_episode(self, model, tokenizer, completion, weight):
        return float(answer_text(completion).strip() == weight)

    def solve(self, row):
        return row["weight"]
