"""What is shown of work that goes on, on a terminal and in a log."""

import io
import json
import sys

import pytest

from grpo_env_sdk.cli.output import print_json, print_table
from grpo_env_sdk.cli.progress import EvalProgress
from grpo_env_sdk.cli.screen import Screen, clock, facts_line, facts_table
from grpo_env_sdk.cli.testing_progress import CheckProgress
from grpo_env_sdk.evaluation.metrics import Metrics


class Terminal(io.StringIO):
    """A stderr that is a terminal, and keeps what is written to it."""

    def isatty(self):
        return True


def a_terminal(monkeypatch):
    """Puts a terminal in the place of stderr, which pytest puts back where a fixture does this."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    return made


@pytest.mark.parametrize(("seconds", "told"), [(0.4, "0:00"), (62, "1:02"), (3723, "1:02:03")])
def test_a_clock_is_read_as_one(seconds, told):
    assert clock(seconds) == told


def test_a_log_gets_a_line_when_it_is_urgent_and_none_a_moment_later(capsys):
    with Screen(on_terminal=0.0, in_log=3600.0) as screen:
        assert [screen.due(), screen.due(urgent=True), screen.due()] == [False, True, False]
        screen.show(facts_line({"step": "3/5", "reward": "0.5"}), lambda: pytest.fail("nothing is drawn in a log"))
        screen.note("A note.")
    assert capsys.readouterr() == ("", "step 3/5, reward 0.5\nA note.\n")


def test_a_quiet_screen_shows_nothing(capsys):
    with Screen(0.0, 0.0, quiet=True) as screen:
        assert not screen.due(urgent=True)
        screen.note("A note.")
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_picture_that_changes_and_notes_that_stay(monkeypatch):
    terminal = a_terminal(monkeypatch)
    with Screen(on_terminal=0.0, in_log=3600.0) as screen:
        assert screen.due()
        screen.show("a line", lambda: facts_table({"reward": "0.5 [0, 1]"}, 1, 4, title="hotel-v1"))
        screen.note("A [note].")
    told = terminal.getvalue()
    assert "hotel-v1" in told
    assert "0.5 [0, 1]" in told
    assert "A [note]." in told
    assert "a line" not in told
    assert "\x1b[" in told


def test_an_evaluation_that_is_through_is_shown_whenever_it_ended(capsys):
    with EvalProgress("hotel-v1", total=0) as progress:
        progress.seen(None, Metrics())
    assert capsys.readouterr().err.startswith("hotel-v1: episodes 0/0, speed 0.0 episodes/s, ")


def test_a_test_turns_a_spinner_beside_the_check_that_runs(monkeypatch):
    terminal = a_terminal(monkeypatch)
    with CheckProgress(["hotel-v1"], 70) as progress:
        for event in ({"event": "started", "check": "S201"}, {"event": "at", "stage": "an episode", "row": 1}):
            progress.on_event(0, event)
    assert "hotel-v1: 0/70 checks, now S201, an episode" in terminal.getvalue()


@pytest.mark.parametrize("width", [20, 60, 200])
def test_a_table_on_a_terminal_never_cuts_a_name(width, monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setenv("COLUMNS", str(width))
    name = "runs/a-long-name-20261122-215040"
    print_table(["RUN", "SUMMARY"], [[name, "many words " * 20]])
    assert name in shown.getvalue()
    assert " ".join(shown.getvalue().split()).count("many words") == 20


def test_numbers_that_json_does_not_have_are_printed_as_text(capsys):
    print_json({"a": float("nan"), "b": [-float("inf")], "c": "NaN"})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "a": "NaN",
        "b": ["-Infinity"],
        "c": "NaN",
    }
