"""Guess a number; the last reply says which it was, when nothing can be said any more."""

import random
import re

from grpo_env_sdk import MultiTurnEnv


class Numbers(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Game {n}: guess a number from 1 to 100.", "secret": random.Random(n).randint(1, 100)}
            for n in range(40)
        ]

    def setup(self, row):
        self.count = 0

    def step(self, action):
        self.count += 1
        s = self.row["secret"]
        m = re.fullmatch(r"\d{1,3}", action["content"].strip())
        if m and int(m[0]) == s:
            return "Right.", 1.0, True, False, {}
        if self.count == 8:
            return f"It was {s}.", 0.0, False, True, {}
        return ("A number, please." if not m else "Higher." if int(m[0]) < s else "Lower."), 0.0, False, False, {}

    def solve(self, row):
        return [str(row["secret"])]
