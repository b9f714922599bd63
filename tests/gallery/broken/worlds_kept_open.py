"""Worlds are kept in a registry of the class, and close does not take them out."""

from typing import ClassVar

from grpo_env_sdk import MultiTurnEnv


class Worlds(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)
    open_worlds: ClassVar[list] = []

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say the square of {n}.", "n": n} for n in range(30, 70)]

    def setup(self, row):
        self.world = {"cells": [row["n"]] * 3}
        Worlds.open_worlds.append(self)

    def step(self, action):
        right = action["content"].strip() == str(self.row["n"] ** 2)
        return ("Right." if right else "No."), float(right), right, False, {}

    def close(self):
        self.world = None

    def solve(self, row):
        return [str(row["n"] ** 2)]
