"""A game of dice that the best player loses at times, whatever the row."""

import random

from grpo_env_sdk import MultiTurnEnv


class Dice(MultiTurnEnv):
    """Roll the larger die until more than half of its sides comes, three times at most."""

    max_turns = 3
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            one, other = random.Random(n).sample(range(4, 60, 2), 2)
            asked = f"Roll more than {max(one, other) // 2} with one of your dice; they have {one} and {other} sides."
            rows.append({"prompt": f"{asked} Each turn, say the number of its sides.", "sides": max(one, other)})
        return rows

    def setup(self, row):
        self.rolls, self.sides = 0, row["sides"]

    def step(self, action):
        if action["content"].strip() != str(self.sides):
            return "Such a die cannot win.", 0.0, True, False, {}
        self.rolls += 1
        rolled = int(self.np_random.integers(1, self.sides + 1))
        won = rolled > self.sides // 2
        return f"You roll {rolled}.", float(won), won, self.rolls == 3, {}

    def solve(self, row):
        while True:
            yield str(row["sides"])
