"""Fares with a discount that are rounded down, as their prompts say."""

import random

from grpo_env_sdk import answer_text


class Fares:
    def build_dataset(self, tokenizer):
        rng = random.Random(8)
        rows = {}
        while len(rows) < 60:
            pence, percent = rng.randrange(400, 9000), rng.choice([5, 12, 15, 33])
            prompt = (
                f"A fare is £{pence / 100:.2f}, and students pay {percent}% less. What do they pay, rounded "
                "down to whole pennies? Answer exactly like £3.20."
            )
            rows[prompt] = f"£{pence * (100 - percent) // 100 / 100:.2f}"
        return [{"prompt": prompt, "fare": fare} for prompt, fare in rows.items()]

    def score_episode(self, model, tokenizer, completion, fare):
        return float(answer_text(completion).strip() == fare)

    def solve(self, row):
        return row["fare"]
