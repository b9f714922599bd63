"""How long a book was lent, with dates of which nobody says whether the day or the month is first."""

import random
from datetime import date

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import exact_match


class Loans(SingleTurnEnv):
    rewards = (exact_match("days"),)

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        rows = []
        for n in range(16):
            begin, end = sorted(date(2023, rng.randint(1, 12), rng.randint(1, 12)) for _ in range(2))
            asked = f"How many days are there between {begin:%d/%m/%Y} and {end:%d/%m/%Y}? Write the number."
            rows.append({"prompt": f"Book {n + 40} was lent. {asked}", "days": str((end - begin).days)})
        return rows

    def solve(self, row):
        return row["days"]
