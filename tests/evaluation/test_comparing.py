"""Which rows a comparison of two runs is about, and which it leaves out."""

import asyncio
import json
from pathlib import Path

import pytest

from grpo_env_sdk import evaluate, load, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.cli.runs_command import summary_of
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.gates import max_drop_gate
from grpo_env_sdk.evaluation.plan import EvalPlan
from tests.environments import Guess


def without_reward(run, *rows, sample=None):
    """Take the rewards of these rows, or of one sample of each, out of a run."""
    file = Path(run, "episodes.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        if line["row"]["case_idx"] in rows and sample in (None, line["sample"]):
            line |= {"reward": None, "rewards": {}}
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.fixture
def two_runs(tmp_path, monkeypatch):
    """Two runs of four rows."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        evaluate(Guess, "gold", split="all", rows=4, out=name)


def test_rows_without_a_reward_are_named_by_where_it_is_missing(two_runs, capsys):
    without_reward("one", 0, 1)
    without_reward("two", 0)
    found = compare(open_run("one"), open_run("two")).as_json()
    assert (found["rows"], found["only_before"], found["only_after"], found["in_neither"]) == (2, 0, 1, 1)
    assert main(["diff", "one", "two"]) == 0
    told = capsys.readouterr().out
    assert "2 rows: " in told
    assert "left out: 1 row with a reward only in the second run" in told
    assert "left out: 1 row with a reward in neither run" in told


def test_lost_samples_are_counted_and_fail_the_gate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        evaluate(Guess, "gold", split="all", rows=4, samples=2, out=name)
    without_reward("two", 0, 1, 2, 3, sample=1)
    found = compare(open_run("one"), open_run("two"))
    told = found.as_json()
    assert told["unequal_samples"] == 4
    assert [(run["episodes"], run["scored"], run["scored_rows"]) for run in told["runs"].values()] == [
        (8, 8, 4), (8, 4, 4),
    ]  # fmt: skip
    gate = max_drop_gate(found, 0.5)
    assert not gate.passed
    assert gate.result.startswith(
        "only 4 of 8 needed episodes of the second run have a reward; the mean reward changed"
    )
    assert max_drop_gate(found, 0.5, max_errors=0.5).passed
    assert max_drop_gate(compare(open_run("two"), open_run("one")), 0.5).passed
    main(["diff", "one", "two"])
    told = capsys.readouterr().out
    assert "no reward: 4 of 8 episodes of the second run\n" in told
    assert "4 rows have more scored samples in one run than in the other\n" in told


def test_an_unfinished_run_lacks_what_it_has_not_played(two_runs, capsys):
    file = Path("two/episodes.jsonl")
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    gate = max_drop_gate(compare(open_run("one"), open_run("two")), 0.5)
    assert (gate.passed, gate.result.split(";")[0]) == (
        False, "only 3 of 4 needed episodes of the second run have a reward",
    )  # fmt: skip
    assert main(["diff", "one", "two"]) == 0
    assert "not played: 1 episode of the second run\n" in capsys.readouterr().out


@pytest.mark.parametrize("mark", ["training", "environments", "forced", "rescored_from"])
def test_a_run_that_does_not_say_what_it_planned_lacks_nothing(mark, two_runs):
    after = open_run("two")
    after.manifest |= {"rows": 20, mark: {}}
    found = compare(open_run("one"), after)
    assert (found.runs[1].unplayed, max_drop_gate(found, 0.0).passed) == (0, True)


def test_rows_that_the_second_run_was_not_asked_for_fail_no_gate(two_runs):
    evaluate(Guess, "gold", split="all", rows=3, out="less")
    assert max_drop_gate(compare(open_run("one"), open_run("less")), 0.0).passed


def test_evaluations_in_memory_runs_and_paths_are_compared_alike(two_runs):
    kept = evaluate(Guess, "gold", split="all", rows=4)
    with_run = evaluate(Guess, "echo", split="all", rows=4, out="echo")
    expected = compare(open_run("one"), open_run("echo"))
    assert expected.difference.mean < 0
    for before in (kept, "one", Path("one")):
        for after in (with_run, evaluate(Guess, "echo", split="all", rows=4), "echo"):
            assert compare(before, after) == expected
    fewer = evaluate(Guess, "gold", split="all", rows=3)
    assert compare(kept, fewer).settings == ["rows asked for (4 and 3)"]


def test_anything_else_cannot_be_compared(two_runs):
    with pytest.raises(UsageError, match=r"can be compared, not 0\.5\. Like compare"):
        compare("one", 0.5)


def test_an_evaluation_without_episodes_says_how_to_keep_them(two_runs):
    async def ran():
        return await Evaluator(load(Guess), EvalPlan(rows=1)).run(None)

    with pytest.raises(UsageError, match=r"kept no episodes.*Use `evaluate`, or give `run` a writer"):
        compare("one", asyncio.run(ran()))


def test_where_no_row_is_left_out_nothing_is_said_of_it(two_runs, capsys):
    assert main(["diff", "one", "two"]) == 0
    told = capsys.readouterr().out
    assert all(
        words not in told for words in ("left out", "no reward", "not played", "own mean", "more scored samples")
    )


def test_the_mean_of_a_run_is_the_same_in_all_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "random", split="all", samples=3, out="run")
    without_reward("run", 0, 1, sample=2)
    Path("run/summary.json").unlink()
    shown = summary_of(open_run("run"), changed=False)["reward"]
    assert shown["low"] < shown["mean"] < shown["high"]
    found = compare(open_run("run"), open_run("run"))
    assert found.before.as_json() == shown
    assert main(["rescore", "run", "--trust", "--out", "again", "--json"]) == 0
    after = json.loads(capsys.readouterr().out)["after"]
    assert after == summary_of(open_run("again"), changed=False)["reward"]


def test_rows_that_one_run_was_not_asked_for_are_no_change_of_the_environment(two_runs, capsys):
    evaluate(Guess, "gold", split="all", rows=3, out="less")
    assert compare(open_run("one"), open_run("less")).settings == ["rows asked for (4 and 3)"]


def test_runs_of_other_splits_are_compared_on_the_rows_that_both_have(two_runs):
    evaluate(Guess, "gold", split="train", rows=4, out="train")
    found = compare(open_run("train"), open_run("one"))
    assert found.settings == ['split was "train" and is "all"']
    assert len(found.rows) + found.only_before == 4
    evaluate(Guess, "gold", split="test", out="test")
    with pytest.raises(UsageError, match=r"no scored row in common \(split train and split test\)"):
        compare(open_run("train"), open_run("test"))


def test_rows_of_another_content_are_refused_by_number(two_runs):
    for name, old, new in (("episodes.jsonl", '"secret": 1,', '"secret": 9,'), ("manifest.json", "_fingerprint", "_f")):
        file = Path("two", name)
        file.write_text(file.read_text().replace(old, new))
    with pytest.raises(UsageError, match=r"row \d+ has another content in each.*same rows"):
        compare(open_run("one"), open_run("two"))
