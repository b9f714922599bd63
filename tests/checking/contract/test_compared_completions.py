"""C176: functions of TRL that compare the completions of a group, and those that only look so."""

import itertools
import random

import pytest

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.checking.contract.compared_completions import rewards_see_all_that_they_compare as compares
from grpo_env_sdk.rewards import from_trl
from tests.checking.trying import found
from tests.gallery.broken.rhymes_unlike_the_others import Rhymes

COUNT = itertools.count()
SEEN = []


def longest(completions, **columns):
    return [float(len(one) == max(map(len, completions))) for one in completions]


async def apart_from_the_mean(completions, **columns):
    mean = sum(map(len, completions)) / len(completions)
    return [None if len(completions) == 1 else (len(one) - mean) / 1000 for one in completions]


def right(completions, answer, **columns):
    return [float(one == wanted) for one, wanted in zip(completions, answer, strict=True)]


def drawn(completions, **columns):
    return [random.random() for _ in completions]


def drawn_alike_each_time(completions, **columns):
    rng = random.Random(4)
    return [rng.random() for _ in completions]


def counted(completions, **columns):
    return [float(next(COUNT) % 7) for _ in completions]


def new_so_far(completions, **columns):
    values = [float(one not in SEEN) for one in completions]
    SEEN.extend(completions)
    return values


def rounded_with_its_batch(completions, **columns):
    return [0.5 + 1e-5 * len(completions) for _ in completions]


def of_one_alone(completions, **columns):
    (only,) = completions
    return [float(bool(only))]


def of_environments(environments, **columns):
    return [float(len(environments)) for _ in environments]


def graded_by(function, weight=0.3):
    class Sums(SingleTurnEnv):
        """Add two numbers."""

        rewards = (from_trl(right, weight=2), from_trl(function, weight=weight))

        def build_dataset(self, tokenizer):
            return [{"prompt": f"What is {n} + 9?", "answer": str(n + 9)} for n in range(8)]

        def solve(self, row):
            return row["answer"]

    return Sums


@pytest.mark.parametrize("function", [longest, apart_from_the_mean])
def test_a_function_that_compares_completions_is_found_with_both_values_and_its_place(function):
    (finding,) = found(compares, graded_by(function))
    assert f"'{function.__name__}' compares completions" in finding.message
    assert f"--reward-func {__name__}:{function.__name__}=0.15" in finding.hint
    alone, among = finding.output.values()
    assert alone != among


def test_an_answer_that_a_group_has_twice_shows_what_compares_equal_ones():
    (finding,) = found(compares, Rhymes)
    assert finding.output == {"alone": 1.0, "among 4": 0.5}
    assert ":unlike_the_others=0.5" in finding.hint


@pytest.mark.parametrize("function", [
    drawn, drawn_alike_each_time, counted, new_so_far, rounded_with_its_batch, of_one_alone, of_environments,
])  # fmt: skip
def test_a_function_that_draws_remembers_or_fails_is_not_said_to_compare(function):
    assert not found(compares, graded_by(function))


def test_a_function_that_is_only_logged_is_let_be():
    assert not found(compares, graded_by(longest, weight=0))
