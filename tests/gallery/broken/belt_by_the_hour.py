"""How long a belt needs for some boxes, where gold is in hours if the belt is rated by the hour."""

import random

from grpo_env_sdk import answer_text


class Belts:
    def build_dataset(self, tokenizer):
        rng = random.Random(6)
        rows = {}
        while len(rows) < 20:
            span, rate, times = rng.choice(["minute", "minute", "hour"]), rng.randint(12, 48), rng.randint(3, 40)
            prompt = (
                f"A belt carries {rate} boxes per {span}. How many minutes does it take for {rate * times} boxes? "
                "Answer with the number."
            )
            rows[prompt] = times
        return [{"prompt": prompt, "minutes": times} for prompt, times in rows.items()]

    def score_episode(self, model, tokenizer, completion, minutes):
        return float(answer_text(completion).strip() == str(minutes))

    def solve(self, row):
        return str(row["minutes"])
