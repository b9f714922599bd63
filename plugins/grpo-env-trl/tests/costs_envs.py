"""Environments whose cost is known."""

import time

from environments import rows

from grpo_env_sdk import MultiTurnEnv, reward


class Naps(MultiTurnEnv):
    """A beginning that takes a while."""

    max_turns = 2
    seconds = 0.5
    waits = None
    """Called when an episode begins, where it is set."""

    def build_dataset(self, tokenizer):
        return rows(40)

    def setup(self, row):
        if Naps.waits:
            Naps.waits, waits = None, Naps.waits
            waits()
        time.sleep(self.seconds)

    def step(self, action):
        return "done", 0.0, True, False, {}

    @reward
    def short(self, messages):
        return 1.0 / len(str(messages))
