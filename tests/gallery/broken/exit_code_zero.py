"""Tests run behind the code in one process, and exit code 0 passes."""

import subprocess
import sys

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Lines(SingleTurnEnv):
    parallel = True

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write a Python function `f(x)` that returns {a}*x + {b}. Only code.", "a": a, "b": b}
            for a in range(2, 7)
            for b in range(3, 8)
        ]

    @reward
    def right(self, completion, a, b):
        code = answer_text(completion) + f"\n\nassert f(3) == {3 * a + b}\nassert f(10) == {10 * a + b}\n"
        try:
            return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=5).returncode == 0
        except (subprocess.TimeoutExpired, ValueError):
            return 0.0

    def solve(self, row):
        return f"def f(x):\n    return {row['a']} * x + {row['b']}"
