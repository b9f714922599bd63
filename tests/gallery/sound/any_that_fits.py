"""Texts for a pattern: many are right, with any numbers, and the column `example` is one of them."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PATTERNS = {
    r"\(\d+, \d+\)": "(12, 34)", r"\d{3}-\d{4}": "123-4567", r"\d+ of \d+": "3 of 10", r"v\d+\.\d+": "v2.5",
    r"\d\d:\d\d": "12:30", r"#\d+ - #\d+": "#4 - #8", r"\d+/\d+": "3/4", r"\d+ x \d+": "20 x 30",
}  # fmt: skip


class Patterns(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write a text that Python's {pattern!r} matches completely, and nothing else.",
             "pattern": pattern, "example": example}
            for pattern, example in PATTERNS.items()
        ]  # fmt: skip

    @reward
    def matched(self, completion, pattern):
        return bool(re.fullmatch(pattern, answer_text(completion).strip()))

    def solve(self, row):
        return row["example"]
