"""An environment that changes the working directory of a program: its run stays where the program began it."""

import os

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate
from grpo_env_sdk.runs.reading import open_run


class Goes(SingleTurnEnv):
    """Goes elsewhere in one of its rows."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}.", "number": number} for number in range(3)]

    def score_episode(self, model, tokenizer, completion, number):
        if number == 1:
            os.chdir("/")
        return 1.0


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory to come back to."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_written_where_it_began(here):
    found = evaluate(Goes(), "echo", split="all", out="kept")
    assert os.getcwd() == "/"  # a program's process is its own
    assert found.summary["scored"] == 3
    assert str(found.run) == "kept"
    assert len(found.episodes) == 3
    assert len([*open_run(here / "kept").episodes()]) == 3
    assert open_run(here / "kept").summary()["scored"] == 3


def test_a_run_that_was_opened_is_read_where_it_was(here):
    evaluate(Goes(), "echo", split="all", out="kept")
    os.chdir(here)
    run = open_run("kept")
    os.chdir("/")
    assert len([*run.as_of_now().episodes()]) == 3
    assert run.summary()["scored"] == 3
    assert run.own
