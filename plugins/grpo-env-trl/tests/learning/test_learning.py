import itertools

import pytest
import torch
from demo.small_environments import Shelf, Stateful, Sums, Unsolved

from grpo_env_sdk.checking.check import all_checks, selected
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.rewards import reward
from grpo_env_sdk.types import EnvSpec
from grpo_env_trl.learning.check import a_small_model_learns_it
from grpo_env_trl.learning.learning import learn
from grpo_env_trl.learning.verdict import verdict


class Same(Sums):
    """Every answer earns half."""

    @reward
    def right(self, completion, answer):
        return 0.5


def found(env):
    name = f"{env.__module__}:{env.__qualname__}"
    return list(found_by(a_small_model_learns_it, Subject(EnvSpec(name, name), Settings(), create=env)))


def test_a_training_is_measured_before_and_after_and_computes_in_one_thread():
    told, threads = [], set()

    def note(*how):
        told.append(how)
        threads.add(torch.get_num_threads())

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        result = learn(load(Sums), steps=2, progress=note)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    stages = [stage for stage, _ in itertools.groupby(what.split()[0] for what, _, _ in told)]
    assert stages == ["solving", "demonstrating", "imitating", "rows", "step", "rows"]  # too few are held out
    assert ("step", 2, 2) in told
    assert threads == {1}
    assert result.steps == 2
    assert not result.held_out  # of 36 rows a tenth is
    assert result.gold.mean == 1.0
    assert 0.0 <= result.before.mean < 1.0
    assert result.gain.mean == pytest.approx(result.after.mean - result.before.mean)
    assert 0.0 <= result.zero_spread_share <= 1.0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result():
    first, again = (learn(load(Sums), steps=2, progress=lambda *how: None) for _ in range(2))
    assert (again.before, again.after, again.sampled) == (first.before, first.after, first.sampled)


def test_a_reward_that_gold_does_not_raise_is_not_trained_on():
    told = []
    result = learn(load(Same), progress=lambda what, done, of: told.append(what))
    assert (result.before.mean, result.gold.mean, result.steps, result.after) == (0.5, 0.5, 0, None)
    assert "step" not in told
    assert verdict(result).message.startswith("Nothing to learn: all answers had the same reward, 0.50")


def test_without_time_it_is_undecided_and_says_where_it_was():
    subject = Subject(EnvSpec("sums", "sums:Sums"), Settings(), create=Sums)
    subject.begin("L901", 0.0)
    (gap,) = found_by(a_small_model_learns_it, subject)
    assert "it was solving 1/" in gap.why
    assert gap.flags == "--timeout 600"


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
