"""Tests of `$id` that hold for any task: keep them when you replace the task."""

import pytest

from grpo_env_sdk import evaluate, spec, specs
from grpo_env_sdk.pytest_plugin import EnvironmentContract


class TestContract(EnvironmentContract):
    """The checks of `grpo-env test $id`, one test each.

    Each further environment of this package needs such a class with its own id.
    """

    env = "$id"


def test_it_is_installed():
    assert spec("$id").entry_point == "$package:$cls"


def test_every_environment_of_this_package_has_its_checks():
    checked = {contract.env for contract in EnvironmentContract.__subclasses__()}
    missing = {one.id for one in specs() if one.distribution == "$dist"} - checked
    assert not missing, f"add an EnvironmentContract for each of {sorted(missing)}"


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_gold_solution_scores_one_on_every_row(split):
    gold = evaluate("$id", "gold", split=split)
    assert gold.summary["reward"]["mean"] == 1.0
    assert gold.summary["errors"] == {}


def test_random_answers_score_low():
    assert evaluate("$id", "random", split="train", rows=50).summary["reward"]["mean"] < 0.3
