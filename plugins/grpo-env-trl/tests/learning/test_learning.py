import itertools

import pytest
from demo.small_environments import Shelf, Stateful, Sums, Unsolved

from grpo_env_sdk.checking.check import all_checks, selected
from grpo_env_sdk.checking.evidence.env_under_test import Settings
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.types import EnvSpec
from grpo_env_trl.learning.check import a_small_model_learns_it
from grpo_env_trl.learning.learning import learn


def found(env):
    name = f"{env.__module__}:{env.__qualname__}"
    return list(found_by(a_small_model_learns_it, Subject(EnvSpec(name, name), Settings(), create=env)))


def test_a_training_whose_time_is_up_ends_after_its_step_and_is_measured_all_the_same():
    told = []
    result = learn(load(Sums), steps=50, seconds=0.0, progress=lambda *how: told.append(how))
    stages = [stage for stage, _ in itertools.groupby(what.split()[0] for what, _, _ in told)]
    assert stages == ["solving", "demonstrating", "imitating", "held-out", "step", "held-out"]
    assert ("step", 1, 50) in told
    assert (result.steps, result.planned_steps) == (1, 50)
    assert not result.held_out  # of 36 rows a tenth is
    assert result.gold.mean == 1.0
    assert 0.0 <= result.before.mean < 1.0
    assert result.gain.mean == pytest.approx(result.after.mean - result.before.mean)
    assert 0.0 <= result.zero_spread_share <= 1.0


def test_rows_that_do_not_fill_a_step_are_refused():
    with pytest.raises(UsageError, match=r"A training step needs 8 rows, and there are only \d"):
        learn(load(Stateful), progress=lambda *how: None)


def test_without_solve_nothing_is_trained():
    (gap,) = found(Unsolved)
    assert isinstance(gap, Undecided)
    assert gap.why == "It has no solve(row)."


def test_the_check_is_named_or_asked_for():
    all_checks.cache_clear()
    assert "L901" not in [item.id for item in selected()]
    assert "L901" not in [item.id for item in selected(effort="thorough")]
    assert "L901" in [item.id for item in selected(learn=True)]
    assert {item.group for item in selected(["score"], learn=True)} == {"score", "learn"}
    for name in ("L901", "learn", "L9"):
        assert [item.id for item in selected([name])] == ["L901"]
    assert "L901" not in [item.id for item in selected(ignore=["L901"], learn=True)]


@pytest.mark.slow
def test_the_check_shows_the_verdict_the_numbers_and_the_curve():
    finding, table, *plots = found(Shelf)
    assert isinstance(finding, Finding)
    assert finding.severity == "info"
    assert finding.message.startswith("Learned: ")
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["before", "after", "gold"]
    assert all(isinstance(plot, Plot) for plot in plots)
    assert {"Reward", "Parts of the reward"} <= {plot.title for plot in plots}
