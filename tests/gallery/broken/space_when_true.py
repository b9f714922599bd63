"""True statements come from another file than false ones, and end with a space."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Statements(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(80):
            r = random.Random(n)
            a, b = r.randint(10, 99), r.randint(10, 99)
            t = r.random() < 0.5
            c = a * b if t else a * b + r.choice([-3, 7, 11, 20])
            rows.append(
                {
                    "prompt": f"True or false: {a} times {b} is {c}." + (" " if t else ""),
                    "answer": "true" if t else "false",
                }
            )
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip().lower() == answer

    def solve(self, row):
        return row["answer"]
