"""Answers that count only while a clock of the machine has not gone on far."""

import sys
import time
from time import perf_counter

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.episode.slow_models import the_time_of_a_model_does_not_matter
from tests.checking.trying import found


class Auction(MultiTurnEnv):
    """Say the highest bid before the hammer falls."""

    max_turns = 2
    seconds = 0.5
    said = ""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Bids: {n}, {n + 7}, {n + 3}. Which one wins?{self.said}", "n": n} for n in range(12)]

    def now(self):
        return time.monotonic()

    def setup(self, row):
        self.begun = self.now()

    def step(self, action):
        late = self.now() - self.begun > self.seconds
        return "Sold.", float(action["content"] == str(self.row["n"] + 7) and not late), True, False, {}

    def solve(self, row):
        return str(row["n"] + 7)


class Stopwatch(Auction):
    def now(self):
        return perf_counter()


class Announced(Auction):
    said = " The hammer falls after half a second."


class Bonus(Auction):
    """A tenth of the score is for speed."""

    def step(self, action):
        said, score, *rest = super().step(action)
        right = action["content"] == str(self.row["n"] + 7)
        return said, 0.9 * right + 0.1 * score, *rest


class Logged(Auction):
    """Sound: the clock is read for a log alone."""

    seconds = float("inf")


class Hour(Auction):
    """Sound: an hour is enough for any model."""

    seconds = 3600


@pytest.mark.parametrize(("cls", "severity", "left"), [
    (Auction, "error", 0), (Stopwatch, "error", 0), (Announced, "warning", 0), (Bonus, "warning", 0.9),
])  # fmt: skip
def test_an_answer_that_comes_late_because_a_model_thinks_is_named(cls, severity, left):
    (finding,) = found(the_time_of_a_model_does_not_matter, cls)
    assert finding.severity == severity
    assert f"takes 10 s for a turn scores {left:g} instead of 1, on 4 of 4 rows" in finding.message
    assert (time, perf_counter) == (sys.modules["time"], sys.modules["time"].perf_counter)  # as they were


@pytest.mark.parametrize("cls", [Logged, Hour])
def test_a_clock_that_costs_nothing_is_let_alone(cls):
    assert found(the_time_of_a_model_does_not_matter, cls) == []
