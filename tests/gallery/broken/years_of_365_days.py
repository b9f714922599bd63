"""How many days a cheese ripens, by a table of months that knows no leap years."""

import datetime
import random

from grpo_env_sdk import answer_text

BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def ordinal(day):
    return 365 * day.year + BEFORE[day.month - 1] + day.day


class Cheeses:
    def build_dataset(self, tokenizer):
        rng = random.Random(12)
        rows = []
        for number in range(24):
            start = datetime.date(2015 + number % 10, 1 + number % 12, rng.randint(1, 28))
            end = start + datetime.timedelta(days=rng.randint(40, 400))
            prompt = (
                f"Cheese {number} was laid into the cellar on {start} and taken out on {end}. For how many days did it "
                "ripen? Answer with the number."
            )
            rows.append({"prompt": prompt, "days": ordinal(end) - ordinal(start)})
        return rows

    def score_episode(self, model, tokenizer, completion, days):
        return float(answer_text(completion).strip() == str(days))

    def solve(self, row):
        return str(row["days"])
