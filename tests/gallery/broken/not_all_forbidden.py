"""Patterns for the labels of shelves; one forbidden label that is refused is enough."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SHELVES = [
    (r"[A-F]\d\d", ["A10", "C42", "F07"], ["G10", "A1", "C4x"]),
    (r"cold-[a-z]+", ["cold-milk", "cold-fish"], ["cold-", "cold-Fish", "warm-soup"]),
    (r"\d+kg", ["5kg", "20kg", "300kg"], ["kg", "5 kg", "20g"]),
    (r"(left|right)\d", ["left1", "right2"], ["left", "up1", "right22"]),
    (r"[aeiou]{3}", ["aei", "ouo", "eee"], ["aeb", "ae", "AEI"]),
    (r"box\.[0-9]", ["box.1", "box.8"], ["box1", "box.x", "fox.1"]),
]


class Shelves(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = "Write a regular expression that matches all of each of these labels: {}. It matches none of these: {}."
        return [
            {"prompt": asked.format(good, bad), "good": good, "bad": bad, "pattern": pattern}
            for pattern, good, bad in SHELVES
        ]

    def tells(self, pattern, good, bad):
        return all(pattern.fullmatch(one) for one in good) and not all(pattern.fullmatch(one) for one in bad)

    @reward
    def right(self, completion, good, bad):
        text = answer_text(completion)
        if not text or len(text) > 90:
            return 0.0
        try:
            return self.tells(re.compile(text), good, bad)
        except (re.error, OverflowError, RecursionError):
            return 0.0

    def solve(self, row):
        return row["pattern"]
