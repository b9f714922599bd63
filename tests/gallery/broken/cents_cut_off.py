"""A sum of money, compared after int(): any cents are right."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Totals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            r = random.Random(n)
            a, b = r.randint(300, 9000), r.randint(300, 9000)
            rows.append(
                {"prompt": f"{a / 100:.2f} plus {b / 100:.2f}? Give two decimals.", "answer": f"{(a + b) / 100:.2f}"}
            )
        return rows

    @reward
    def right(self, completion, answer):
        try:
            return int(float(answer_text(completion))) == int(float(answer))
        except (ValueError, OverflowError):
            return 0.0

    def solve(self, row):
        return row["answer"]
