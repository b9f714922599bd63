"""Find a number that the game thinks of; the row says only how far it may reach."""

import random

from grpo_env_sdk import MultiTurnEnv


class ThinkOfANumber(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"I think of a number from 1 to {top}. One guess a message.", "top": top} for top in range(9, 32)
        ]

    def setup(self, row):
        self.secret = random.randint(1, row["top"])

    def step(self, action):
        said = action["content"].strip()
        if not (said.isascii() and said.isdigit() and len(said) < 6):
            return "A number, please.", 0.0, False, False, {}
        if int(said) == self.secret:
            return "Yes!", 1.0, True, False, {}
        return "Higher." if int(said) < self.secret else "Lower.", 0.0, False, False, {}

    def solve(self, row):
        low, high = 1, row["top"]
        while True:
            middle = (low + high) // 2
            answered = yield str(middle)
            low, high = (middle + 1, high) if answered[-1]["content"] == "Higher." else (low, middle - 1)
