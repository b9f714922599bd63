"""The dice of a game belong to its row, so that some games cannot be won whatever is said."""

import random

from grpo_env_sdk import MultiTurnEnv


class Dice(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Table {n}. Say `more` or `stop`. Get as near to 21 as you can, and not above.", "seed": n}
            for n in range(24)
        ]

    def setup(self, row):
        rolls = random.Random(row["seed"])
        self.drawn = [rolls.randint(2, 11) for _ in range(8)]
        self.sum = 0

    def step(self, action):
        said = action["content"].strip()
        if said == "stop":
            return "Over.", 1.0 if self.sum == 21 else self.sum / 30 * (self.sum < 21), True, False, {}
        if said != "more":
            return "Say `more` or `stop`.", 0.0, False, False, {}
        self.sum += self.drawn.pop()
        return str(self.sum), 0.0, self.sum > 21, False, {}
