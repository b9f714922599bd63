"""What a training says while it goes on, and how numbers and transcripts are put."""

import io
import math
import sys

import pytest
from test_recording import batch

from grpo_env_trl.report.formatting import episode_text, message_lines, sparkline, step_facts
from grpo_env_trl.training.display import Display

LOGS = {
    "reward": 0.5, "reward_std": 0.25, "rewards/score/mean": 0.5, "rewards/right/mean": 0.75,
    "rewards/often/mean": None, "rewards/right/std": 0.1, "completions/mean_length": 12.4, "kl": 0.01234,
    "frac_reward_zero_std": 0.5, "episodes/failed": 0.25, "step_time": 3.0, "time/environment": 1.0, "time/model": 0.5,
}  # fmt: skip


def test_the_numbers_of_a_step_are_put_in_words():
    assert step_facts(LOGS) == {
        "reward": "0.500 (spread 0.250)", "parts": "right 0.75", "kl": "0.0123", "tokens": "12",
        "groups without spread": "50%", "failed": "25%",
        "seconds": "3.00 (generation 0.50, environment 1.00, learning 1.50)",
    }  # fmt: skip


def test_a_reward_that_is_rounded_to_zero_has_no_sign():
    assert step_facts({"reward": -1e-9, "reward_std": 0.0})["reward"] == "0.000 (spread 0.000)"


def test_parts_of_the_same_name_in_two_environments_are_two_parts():
    logs = {"rewards/a-v1/right/mean": 0.25, "rewards/b-v1/right/mean": 0.75}
    assert step_facts(logs)["parts"] == "a-v1/right 0.25, b-v1/right 0.75"


def test_a_step_in_which_nothing_was_scored_has_no_reward():
    assert step_facts({"reward": math.nan, "reward_std": math.nan, "episodes/failed": 1.0}) == {
        "reward": "none", "failed": "100%"
    }  # fmt: skip
    assert step_facts({"sample/trained_tokens_mean": 15.5})["tokens"] == "16"  # of the asynchronous trainer


@pytest.mark.parametrize(("values", "drawn"), [([0, 1], "▁█"), ([0.5, 0.5], "▄▄"), ([0.0], "▄"), ([0, 0, 1, 1], "▁█")])
def test_a_curve_fits_a_line(values, drawn):
    assert sparkline(values, width=2) == drawn


def test_a_transcript_is_a_line_a_message_cut_where_it_is_long():
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": {"x": 1}}}
    messages = [
        {"role": "user", "content": "one\n\ntwo"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "x" * 1000},
    ]
    first, second, third = message_lines(messages)
    assert (first, second) == ("user: one two", "assistant: -> add(x=1)")
    assert third.endswith("...")
    assert len(third) < 320


def test_what_a_model_writes_cannot_steer_the_terminal():
    assert message_lines([{"role": "assistant", "content": "\x1b[2Jgone\x07 \u202eon"}]) == [
        "assistant: \ufffd[2Jgone\ufffd \ufffdon"
    ]


def test_an_episode_without_a_score_says_so():
    episode = batch(0, reward=None).episodes[0]
    assert episode_text("row 0", episode).splitlines() == ["--- row 0: no reward (terminated)", "    user: 1 + 1?"]


def test_a_log_gets_plain_lines_and_no_more_than_it_needs(capsys):
    with Display(sample_every=2) as display:
        for done in range(1, 101):
            display.progress("solving", done, 100)
        for step in range(1, 4):
            display.seen(batch(step - 1))
            display.step(LOGS, step, 3, left=61.0)
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert told.out == ""
    assert lines[:2] == ["solving 1/100", "solving 100/100"]
    assert [line for line in lines if line.startswith("---")] == [
        f"--- best episode of step {step}, row 0: reward 0.50 (terminated)" for step in (1, 3)
    ]
    assert lines[-1].startswith("step 3/3, reward 0.500 (spread 0.250), parts right 0.75")
    assert lines[-1].endswith("left 1:01")
    assert "\x1b" not in told.err


@pytest.mark.parametrize(("silent", "told"), [(False, "A note.\n"), (True, "")])
def test_quiet_prints_notes_alone_and_other_processes_nothing(capsys, silent, told):
    with Display(sample_every=1, quiet=True, silent=silent) as display:
        display.stage("loading the model")
        display.seen(batch(0))
        display.note("A note.")
        display.step(LOGS, 1, 1, left=0.0)
    assert capsys.readouterr() == ("", told)


class Terminal(io.StringIO):
    """A stderr that is a terminal, and keeps what is written to it."""

    def isatty(self):
        return True


def test_a_terminal_gets_a_table_that_is_updated_in_place(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    with Display(sample_every=1) as display:
        display.seen(batch(0))
        display.step(LOGS, 1, 2, left=61.0)
    told = terminal.getvalue()
    assert "best episode of step 1, row 0: reward 0.50" in told
    assert "0.500 (spread 0.250)" in told
    assert "\x1b[" in told
