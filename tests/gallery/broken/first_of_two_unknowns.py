"""Two unknowns, of which the scorer reads the first number alone."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Unknowns(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            r = random.Random(n)
            x, y = r.randint(2, 40), r.randint(2, 40)
            rows.append(
                {
                    "prompt": f"Solve: x + y = {x + y}, x - y = {x - y}. Answer like `x = 1, y = 2`.",
                    "answer": f"x = {x}, y = {y}",
                }
            )
        return rows

    @reward
    def right(self, completion, answer):
        found = re.search(r"-?\d+", answer_text(completion))
        return bool(found) and found[0] == re.search(r"-?\d+", answer)[0]

    def solve(self, row):
        return row["answer"]
