"""The line that says how far a call from Python is."""

import sys

import pytest

from grpo_env_sdk import check_env, evaluate
from grpo_env_sdk.report.progress_line import ProgressLine
from tests.environments import Guess

CALLS = {
    "evaluate": (lambda **more: evaluate(Guess, split="all", **more), "Guess: episodes 15/15, reward 1.000"),
    "check_env": (
        lambda **more: check_env(Guess, select="C101", env_pool="thread", **more),
        "/1 check, now the import",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_script_shows_nothing_unless_it_asks(call, capsys, monkeypatch):
    run, told = CALLS[call]
    run()
    assert capsys.readouterr().err == ""
    run(progress=True)
    assert told in capsys.readouterr().err
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    run(progress=False)
    assert capsys.readouterr().err == ""
    run()
    shown = capsys.readouterr().err
    assert told in shown
    assert shown.endswith("\n")


def test_a_run_on_disk_shows_it_too(tmp_path, capsys):
    evaluate(Guess, split="all", out=tmp_path / "run", progress=True)
    assert "episodes 15/15, reward 1.000" in capsys.readouterr().err


def test_a_line_that_is_not_shown_is_not_worked_out():
    ProgressLine(wanted=False).show(lambda: pytest.fail("a mean of all episodes, after each"), last=True)
