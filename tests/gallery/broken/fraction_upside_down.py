"""A fraction in LaTeX, compared by its sorted digits: upside down it is right too."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Fractions(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            r = random.Random(n)
            a, b = r.sample([2, 3, 5, 7, 11, 13, 17, 19, 23], 2)
            rows.append(
                {
                    "prompt": f"{a} divided by {b} as a fraction in LaTeX, in \\boxed{{}}.",
                    "answer": f"\\boxed{{\\frac{{{a}}}{{{b}}}}}",
                }
            )
        return rows

    @reward
    def right(self, completion, answer):
        return sorted(re.findall(r"\d+", answer_text(completion))) == sorted(re.findall(r"\d+", answer))

    def solve(self, row):
        return row["answer"]
