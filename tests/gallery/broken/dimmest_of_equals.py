"""Lamps of a hall, of which one that none outshines is asked for; where several are, only the first is right."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Lamps(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(12), []
        for _ in range(40):
            watts = {f"L{number}": rng.randrange(40, 100, 10) for number in rng.sample(range(10, 99), 6)}
            *most, last = [f"{lamp} has {power} watts" for lamp, power in watts.items()]
            asked = "Which lamp is not brighter than another? Answer with its name."
            prompt = f"In a hall {', '.join(most)} and {last}. {asked}"
            rows.append({"prompt": prompt, "lamp": min(watts, key=watts.get)})
        return rows

    @reward
    def named(self, completion, lamp):
        return answer_text(completion).strip() == lamp

    def solve(self, row):
        return row["lamp"]
