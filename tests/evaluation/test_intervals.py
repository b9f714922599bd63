"""No interval of a reward that a person reads leaves the range of that reward."""

import json
import math

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, reward
from grpo_env_sdk.cli.runs_command import summary_of
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.gates import max_drop_gate
from grpo_env_sdk.evaluation.rescore import rescore
from grpo_env_sdk.runs.reading import MANIFEST, SUMMARY, open_run
from grpo_env_sdk.viewing.index import RunIndex


class MostlyRight(SingleTurnEnv):
    """Three rows of four are right, so a plain interval reaches beyond 1."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"question {i}", "answer": "no" if i % 4 else "yes"} for i in range(8)]

    @reward(range=(0.0, 2.0))
    def right(self, completion, answer):
        return 2.0 * (answer == "no")

    def solve(self, row):
        return row["answer"]


@pytest.fixture
def run(tmp_path):
    evaluate(MostlyRight, "gold", split="all", out=tmp_path / "run")
    return open_run(tmp_path / "run")


def test_a_run_keeps_the_ranges_of_its_rewards_so_that_every_command_has_them(run):
    summary = run.summary()
    assert (summary["reward"]["mean"], summary["reward"]["high"]) == (1.5, 2.0)
    assert summary["rewards"]["right"]["high"] == 2.0
    assert RunIndex(run).summary["rewards"] == summary["rewards"]
    (run.path / SUMMARY).unlink()
    assert summary_of(run, changed=False)["rewards"] == summary["rewards"]


def test_a_run_from_before_ranges_were_kept_still_opens(run):
    del run.manifest["part_ranges"]
    assert RunIndex(run).summary["rewards"]["right"]["high"] > 2.0


def test_a_rescored_run_keeps_the_ranges_of_today(run, tmp_path):
    old = run.manifest | {"part_ranges": {"right": [0.0, 9.0]}}
    (run.path / MANIFEST).write_text(json.dumps(old))
    rescore(open_run(run.path), tmp_path / "again", trust=True)
    assert open_run(tmp_path / "again").manifest["part_ranges"] == run.manifest["part_ranges"]


def test_a_comparison_stays_within_the_ranges_of_both_runs(run, tmp_path):
    evaluate(MostlyRight, "echo", split="all", out=tmp_path / "other")
    found = compare(run, open_run(tmp_path / "other"))
    assert found.before.high == found.after.high == 2.0
    assert -2.0 <= found.difference.low <= found.difference.high <= 2.0


def test_equal_changes_of_rewards_outside_their_range_have_no_interval_and_pass_no_confident_gate(run):
    assert max_drop_gate(compare(run, run), 1.0, confident=True).passed
    run.manifest |= {"reward_range": [0.0, 1.0]}
    found = compare(run, run)
    assert str(found.difference) == "0.000"
    gate = max_drop_gate(found, 1.0, confident=True)
    assert not gate.passed
    assert gate.result.endswith("there is no interval: equal changes of rewards without a range that holds them")


class TwoRewards(MostlyRight):
    """The same, and a second reward, so that each is compared by its name."""

    @reward
    def short(self, completion):
        return len(completion) < 4


def test_the_named_rewards_of_a_comparison_stay_within_their_ranges_too(tmp_path):
    for policy in ("gold", "echo"):
        evaluate(TwoRewards, policy, split="all", out=tmp_path / policy)
    gold, echo = (open_run(tmp_path / policy) for policy in ("gold", "echo"))
    change = compare(gold, echo).rewards["right"]
    assert (change.before.mean, change.before.high) == (1.5, 2.0)
    assert -2.0 <= change.difference.low <= change.difference.high <= 2.0
    del gold.manifest["part_ranges"], echo.manifest["part_ranges"]
    assert compare(gold, echo).rewards["right"].before.high > 2.0


class Unbounded(MostlyRight):
    @reward(range=(-math.inf, math.inf))
    def right(self, completion, answer):
        return 2.0 * (answer == "no")

    @reward(range=(0, math.inf))
    def short(self, completion):
        return 1.0


def test_an_end_without_a_limit_is_null_in_a_manifest(tmp_path):
    evaluate(Unbounded, "gold", split="all", out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / MANIFEST).read_text(), parse_constant=pytest.fail)
    assert manifest["reward_range"] == [None, None]
    assert manifest["part_ranges"] == {"right": [None, None], "short": [0, None]}
    now = open_run(tmp_path / "run")
    old = open_run(tmp_path / "run")
    old.manifest |= {"reward_range": [-math.inf, math.inf], "part_ranges": {"right": [-math.inf, math.inf]}}
    assert RunIndex(now).summary == RunIndex(old).summary
    assert compare(now, old).rewards["right"].before.high > 2.0
