"""What the pools of environment code are measured with."""

import os
import time

from grpo_env_sdk import MultiTurnEnv

SAID = "x" * 2000


class Talks(MultiTurnEnv):
    """Answers each message with 2 kB."""

    max_turns = 1000
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": "Talk."}]

    def step(self, action):
        if action["content"] == "exit":
            os._exit(1)
        return SAID, 0.0, False, False, {}


class Counts:
    """A scorer that needs the processor for 50 ms, and keeps no state."""

    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{at}"} for at in range(40)]

    def score_episode(self, model, tokenizer, completion):
        ends = time.thread_time() + 0.05
        while time.thread_time() < ends:
            sum(range(1000))
        return 1.0
