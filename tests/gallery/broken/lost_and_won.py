"""Who steps on a mine has lost, and goes on all the same."""

import random

from grpo_env_sdk import MultiTurnEnv


class Mines(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            early, late = sorted(random.Random(number).sample((1, 3, 5, 7), 2))
            text = (
                f"Field {number}: walk from 0 to 8. Say 'step' to go one field on and 'jump' to go two. Mines are on "
                f"{early} and {late}: who treads on one has lost."
            )
            rows.append({"prompt": text, "mines": [early, late]})
        return rows

    def setup(self, row):
        self.at = 0

    def step(self, action):
        self.at += {"step": 1, "jump": 2}.get(action["content"].strip(), 0)
        if self.at in self.row["mines"]:
            return "Boom! You have lost.", 0.0, False, False, {}
        return f"You are on {self.at}.", float(self.at >= 8), self.at >= 8, False, {}

    def solve(self, row):
        at, acts = 0, []
        while at < 8:
            length = 2 if at + 1 in row["mines"] else 1
            acts.append({1: "step", 2: "jump"}[length])
            at += length
        return acts
