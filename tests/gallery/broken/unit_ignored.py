"""How far does one get at a speed? With the unit."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Distances(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"At {speed} {unit} per hour, how far in {h} hours? Number and unit.",
                "answer": f"{speed * h} {unit}",
            }
            for speed in (4, 15, 70, 120)
            for h in (3, 5, 8)
            for unit in ("km", "miles")
        ]

    @reward
    def right(self, completion, answer):
        found = re.search(r"\d+", answer_text(completion))
        return found is not None and found[0] == answer.split()[0]

    def solve(self, row):
        return row["answer"]
