"""Environments that tests run on a cluster, which imports them by their names."""

import os
import time

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv


class Rough(SingleTurnEnv):
    """Name a colour; one row ends its process, and one never comes back."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name colour {number}.", "number": number} for number in range(6)]

    def score_episode(self, model, tokenizer, completion, number):
        print("scoring", number)
        if number == 2:
            os._exit(3)
        while number == 4:
            pass
        return 1.0


class Licensed(Rough):
    """The same, on nodes with a licence."""

    ray_resources = {"license": 1}  # noqa: RUF012  # as authors write it


class Slow(MultiTurnEnv):
    """Ten words, one a turn; each turn takes a while, and its reward shows that no turn was lost or done twice."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count, {number}."} for number in range(8)]

    def setup(self, row):
        self.said = []

    def step(self, action):
        time.sleep(0.2)
        self.said.append(action["content"])
        return f"{self.said}", len(self.said) / 100, len(self.said) == 10, False, {}
