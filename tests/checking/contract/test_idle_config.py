"""Which values of a config change nothing."""

import random
import threading
from typing import Literal

import pytest

from grpo_env_sdk.checking.contract import idle_config
from grpo_env_sdk.checking.contract.idle_config import values_of_config_change_something as idle
from tests.checking.trying import found

DIGITS = {"easy": 1, "medium": 2, "hard": 3}


class Sums:
    digits, rows = 1, 20

    def build_dataset(self, tokenizer):
        rng = random.Random(0)
        numbers = [rng.randrange(10**self.digits) for _ in range(self.rows)]
        return [
            {"prompt": f"{n}: what is {n} plus {number}?", "wanted": n + number} for n, number in enumerate(numbers)
        ]

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(completion == str(wanted))


class LostByCase(Sums):
    def __init__(self, level: str = "easy"):
        self.level = level
        self.digits = DIGITS.get(level.title(), 1)


class NotPassedOn(Sums):
    def __init__(self, level: Literal["easy", "hard"] = "easy"):
        self.level = level

    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer) if self.level else []


class AlwaysFlat(Sums):
    def __init__(self, nested: bool = False):
        self.depth = 2 if nested == "yes" else 1


class Leveled(Sums):
    def __init__(self, level: str = "easy"):
        self.digits = DIGITS[level]


class Strict(Sums):
    def __init__(self, strict: bool = False):
        self.strict = strict

    def score_episode(self, model, tokenizer, completion, wanted):
        return float((completion if self.strict else completion.strip()) == str(wanted))


class Sized(Sums):
    def __init__(self, size: int = 20, seed: int = 0):
        self.rows = min(size, 20)
        self.rng = random.Random(seed)


@pytest.mark.parametrize("cls", [LostByCase, NotPassedOn, AlwaysFlat])
def test_a_parameter_whose_values_change_nothing_is_named(cls):
    (finding,) = found(idle, cls)
    assert "changes nothing" in finding.message


@pytest.mark.parametrize("cls", [Sums, Leveled, Strict, Sized])
def test_a_parameter_that_changes_rows_scores_or_the_instance_is_let_alone(cls):
    assert found(idle, cls) == []


class Endless(Sums):
    def __init__(self, depth: int = 8):
        while depth < 8:
            depth -= 1


def test_a_value_that_never_comes_to_an_end_is_given_up_and_its_code_is_ended(monkeypatch):
    monkeypatch.setattr(idle_config, "LEAST_SECONDS", 0.2)
    assert found(idle, Endless) == []
    left = [thread for thread in threading.enumerate() if "The constructor of" in thread.name]
    for thread in left:
        thread.join(60)
    assert not any(thread.is_alive() for thread in left)
