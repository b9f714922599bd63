"""How many days a permit is valid, where both ends count and gold forgets one."""

import datetime
import random

from grpo_env_sdk import answer_text


class Permits:
    def build_dataset(self, tokenizer):
        rng = random.Random(4)
        rows = {}
        while len(rows) < 30:
            start = datetime.date(2025, 1, 1) + datetime.timedelta(days=rng.randrange(300))
            end = start + datetime.timedelta(days=rng.randrange(4, 90))
            prompt = (
                f"A permit is valid from {start} to {end}, both days included. For how many days is it valid? "
                "Answer with the number."
            )
            rows[prompt] = (end - start).days
        return [{"prompt": prompt, "days": days} for prompt, days in rows.items()]

    def score_episode(self, model, tokenizer, completion, days):
        return float(answer_text(completion).strip() == str(days))

    def solve(self, row):
        return str(row["days"])
