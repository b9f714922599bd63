"""Tests of `$id` that hold for any task: keep them when you replace the task."""

import pytest

from grpo_env_sdk import evaluate, spec
from grpo_env_sdk.pytest_plugin import EnvironmentContract


class TestContract(EnvironmentContract):
    """The checks of `grpo-env test $id`, one test each."""

    env = "$id"


def test_it_is_installed():
    assert spec("$id").entry_point == "$package:$cls"


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_gold_solution_scores_one_on_every_row(split):
    gold = evaluate("$id", "gold", split=split)
    assert gold.summary["reward"]["mean"] == 1.0
    assert gold.summary["errors"] == {}


def test_random_answers_score_low():
    assert evaluate("$id", "random", split="train", rows=50).summary["reward"]["mean"] < 0.3
