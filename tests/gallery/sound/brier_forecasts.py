"""Forecasts with the score of Brier, for which the honest chance is best; one outcome is known."""

import random
import re

from grpo_env_sdk import answer_text


class Forecasts:
    def build_dataset(self, tokenizer):
        rng = random.Random(6)
        for place in range(40):
            wet = rng.randint(4, 26)
            yield {
                "prompt": f"At place {place} it rained on {wet} of the last 30 days. How likely is rain tomorrow? "
                "End with `Chance: <a number from 0 to 1>`. The score is 1 - 4 (chance - outcome)^2.",
                "rain": int(rng.random() < wet / 30),
            }

    reward_range = (-3.0, 1.0)

    def score_episode(self, model, tokenizer, completion, rain):
        found = re.search(r"Chance: (0|1|0?\.\d+)$", answer_text(completion).strip())
        return 1.0 - 4 * (float(found[1]) - rain) ** 2 if found else -3.0
