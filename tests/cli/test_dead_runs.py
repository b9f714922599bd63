"""Commands whose process an episode ends or freezes: what they leave, and how they go on."""

import json
from functools import partial

import pytest

from grpo_env_sdk import open_run
from grpo_env_sdk.runs.live_rows import left_in
from tests.forked_commands import user_environment

ROUGH = """
import os
from pathlib import Path

from grpo_env_sdk import SingleTurnEnv

class Rough(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name colour {number}.", "number": number} for number in range(6)]

    def score_episode(self, model, tokenizer, completion, number):
        if number == 2 and not Path("harmless").exists():
            os._exit(3)
        return 1.0
"""


@pytest.fixture
def run(tmp_path, fork_server):
    """Runs a command beside the environment of row 2."""
    (tmp_path / "rough.py").write_text(ROUGH)
    return partial(fork_server.run, "grpo_env_sdk", cwd=tmp_path, environment=user_environment())


def dead(run):
    ended = run("eval", "rough:Rough", "--model", "echo", "--split", "all", "--out", "run")
    assert ended.returncode == 3


def records(tmp_path):
    return {episode.row_index: episode for episode in open_run(tmp_path / "run").episodes()}


def test_a_row_that_ends_the_process_costs_its_episode_once_the_run_is_resumed(run, tmp_path):
    dead(run)
    assert [(row.row_index, row.stage) for row in left_in(tmp_path / "run")] == [(2, "score")]
    again = run("eval", "--resume", "run", "--json")
    assert "row 2 (score)" in again.stderr
    assert "--env-pool process" in again.stderr
    assert json.loads(again.stdout)["episodes"] == 6
    assert "exit code 3" in records(tmp_path)[2].error.message
    assert left_in(tmp_path / "run") == []
    assert open_run(tmp_path / "run").own
    assert open_run(tmp_path / "run").manifest["plan"]["env_pool"] == "process"  # also if it is resumed once more


GROWING = """
from pathlib import Path

from grpo_env_sdk import SingleTurnEnv

class Growing(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name colour {number}."} for number in range(6)]

    def score_episode(self, model, tokenizer, completion):
        rest = Path("rest.jsonl")
        if rest.exists():  # as another process would, which plays the run
            with Path("run/episodes.jsonl").open("a") as file:
                file.write(rest.read_text())
            rest.unlink()
        return 1.0
"""


def test_of_a_run_that_grows_meanwhile_rescore_compares_the_rows_that_it_has_rescored(run, tmp_path):
    (tmp_path / "growing.py").write_text(GROWING)
    assert run("eval", "growing:Growing", "--model", "echo", "--split", "all", "--out", "run").returncode == 0
    file = tmp_path / "run" / "episodes.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:4]))
    (tmp_path / "rest.jsonl").write_text("".join(lines[4:]))
    rescored = run("rescore", "run", "--out", "new", "--json")
    assert file.read_text() == "".join(lines)
    found = json.loads(rescored.stdout)
    assert (found["rows"], found["only_before"], found["only_after"]) == (4, 0, 0)


def test_a_row_can_be_given_up_and_the_others_are_played_in_threads(run, tmp_path):
    dead(run)
    again = run("eval", "--resume", "run", "--give-up", "0,2", "--json")
    assert "--give-up 0 has no effect" in again.stderr
    assert json.loads(again.stdout)["scored"] == 5
    assert "given up" in records(tmp_path)[2].error.message
    assert open_run(tmp_path / "run").manifest["plan"]["env_pool"] == "thread"


@pytest.mark.parametrize(("rows", "told"), [("9", "rows 0 to 5"), ("two", "2,40")])
def test_rows_that_are_none_cannot_be_given_up(run, tmp_path, rows, told):
    dead(run)
    again = run("eval", "--resume", "run", "--give-up", rows)
    assert again.returncode == 2
    assert told in again.stderr
    assert left_in(tmp_path / "run") != []


def test_threads_that_are_asked_for_are_used_with_a_warning(run, tmp_path):
    dead(run)
    (tmp_path / "harmless").touch()
    again = run("eval", "--resume", "run", "--env-pool", "thread", "--json")
    assert "may end the same way" in again.stderr
    assert json.loads(again.stdout)["scored"] == 6


def test_a_rescoring_that_died_names_the_first_run_and_the_pool(run, tmp_path):
    (tmp_path / "harmless").touch()
    assert run("eval", "rough:Rough", "--model", "echo", "--split", "all", "--out", "run").returncode == 0
    (tmp_path / "harmless").unlink()
    assert run("rescore", "run", "--out", "new").returncode == 3
    refused = run("eval", "--resume", "new")
    assert refused.returncode == 2
    assert "grpo-env rescore run --env-pool process" in refused.stderr
    again = run("rescore", "run", "--out", "newer", "--env-pool", "process")
    assert again.returncode == 0
