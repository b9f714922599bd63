"""Which rows a comparison of two runs is about, and which it leaves out."""

import json
from pathlib import Path

import pytest

from grpo_env_sdk import evaluate, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.evaluation.compare import compare
from tests.environments import Guess


def without_reward(run, *rows):
    """Take the rewards of these rows out of a run."""
    file = Path(run, "episodes.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        if line["row"]["case_idx"] in rows:
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


def test_where_no_row_is_left_out_nothing_is_said_of_it(two_runs, capsys):
    assert main(["diff", "one", "two"]) == 0
    assert "left out" not in capsys.readouterr().out
