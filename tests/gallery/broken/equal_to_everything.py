"""The code runs in the grader, and its results are compared with ==."""

import contextlib

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Lines(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write a Python function `f(x)` that returns {a}*x + {b}. Only code.", "a": a, "b": b}
            for a in range(2, 6)
            for b in range(3, 8)
        ]

    @reward
    def right(self, completion, a, b):
        names = {}
        with contextlib.suppress(Exception):
            exec(answer_text(completion), names)
            return names["f"](3) == 3 * a + b and names["f"](10) == 10 * a + b
        return 0.0

    def solve(self, row):
        return f"def f(x):\n    return {row['a']} * x + {row['b']}"
