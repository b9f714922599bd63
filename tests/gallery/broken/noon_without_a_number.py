"""Ferry times on a clock with halves, where noon is written with 0 instead of 12."""

import random

from grpo_env_sdk import answer_text


def clock(minutes):
    return f"{minutes // 60 % 12}:{minutes % 60:02d} {'AM' if minutes < 720 else 'PM'}"


class Crossings:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        for _ in range(40):
            leaves, takes = rng.randrange(8 * 60, 12 * 60, 5), rng.randrange(15, 240, 5)
            ask = (
                f"A ferry leaves at {clock(leaves)} and takes {takes} minutes. When does it land? Answer like 3:05 PM."
            )
            rows.append({"prompt": ask, "landing": clock(leaves + takes)})
        return rows

    def score_episode(self, model, tokenizer, completion, landing):
        return float(answer_text(completion).strip() == landing)

    def solve(self, row):
        return row["landing"]
