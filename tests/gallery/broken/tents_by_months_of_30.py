"""How many days a tent was lent, as if each month had 30 days."""

import datetime
import random

from grpo_env_sdk import answer_text


class Tents:
    def build_dataset(self, tokenizer):
        rng = random.Random(30)
        rows = []
        for number in range(24):
            begin = datetime.date(2021, 2, 1) + datetime.timedelta(days=rng.randrange(290))
            end = min(begin + datetime.timedelta(days=rng.randint(5, 40)), datetime.date(2021, 12, 31))
            prompt = (
                f"Tent {number} was lent on {begin} and came back on {end}. The first day and the last day count. How "
                "many rental days are to be paid? Answer with the number."
            )
            rows.append({"prompt": prompt, "days": 30 * (end.month - begin.month) + end.day - begin.day + 1})
        return rows

    def score_episode(self, model, tokenizer, completion, days):
        return float(answer_text(completion).strip() == str(days))

    def solve(self, row):
        return str(row["days"])
