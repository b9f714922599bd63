"""Calls that never come back: each is a timeout of its own episode, and the others are scored."""

import threading

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, reward
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.isolation.calls.thread_pool import MOST_THREADS
from grpo_env_sdk.rollout.commands import Limits


class Hangs(SingleTurnEnv):
    """Four of five scores hang until the test is over."""

    parallel = True
    over = threading.Event()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {index}", "index": index} for index in range(125)]

    def solve(self, row):
        return "ok"

    @reward
    def right(self, index):
        if index % 5:
            self.over.wait()
        return 1.0


def test_a_hundred_calls_that_hang_are_a_hundred_timeouts():
    try:
        with pytest.warns(GrpoEnvWarning, match="32 calls never came back.*--env-pool process") as told:
            found = evaluate(Hangs, "gold", split="all", limits=Limits(call_seconds=1.0))
    finally:
        Hangs.over.set()
    assert len(told) == 1
    assert found.summary["stop_reasons"] == {"terminated": 25, "timeout": 100}


class Crowded(SingleTurnEnv):
    """Each score waits until as many are made at once as there are threads."""

    parallel = True
    full, lock = threading.Event(), threading.Lock()
    inside = most = 0

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {index}"} for index in range(MOST_THREADS + 50)]

    @reward
    def waits(self):
        cls = Crowded
        with self.lock:
            cls.inside += 1
            cls.most = max(cls.most, cls.inside)
            if cls.inside == MOST_THREADS:
                self.full.set()
        came = self.full.wait(60)
        with self.lock:
            cls.inside -= 1
        return float(came)


def test_thousands_of_episodes_at_once_share_a_few_hundred_threads():
    found = evaluate(Crowded, "random", split="all", concurrency=10_000)
    assert (found.summary["reward"]["mean"], Crowded.most) == (1.0, MOST_THREADS)
