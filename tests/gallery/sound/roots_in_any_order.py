"""Two roots, in any order."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Roots(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Solve x^2 - {a + b}x + {a * b} = 0. Write `x = 1 or x = 2`.", "answer": f"x = {a} or x = {b}"}
            for a, b in ((a, b) for a in range(11, 18) for b in range(19, 24))
        ]

    @reward
    def right(self, completion, answer):
        return sorted(re.findall(r"x = (-?\d+)", answer_text(completion))) == sorted(re.findall(r"x = (-?\d+)", answer))

    def solve(self, row):
        return row["answer"]
