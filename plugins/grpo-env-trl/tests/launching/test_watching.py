"""What the command says of processes that it started, in one line, once one of them ends badly."""

import os
import signal
import socket
import subprocess
from types import SimpleNamespace

import pytest

from grpo_env_sdk.ext import LiveRow, LiveRows
from grpo_env_trl.launching.plan import LaunchPlan
from grpo_env_trl.launching.starting import Started
from grpo_env_trl.launching.watching import ProcessDiedError, Watch

ROW = LiveRow(3, 0, "score", "sums-v1")
_LATER = 2**33
"""Any time after the processes were started."""
KILLED, WORKS, ENDS = "kill -9 $$", "sleep 60", "true"


@pytest.fixture
def run(tmp_path):
    """The folder of a run."""
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


def at_work(run, rank):
    """The file of rows of a process that is ended while environment code works in it."""
    live = LiveRows(run, rank)
    live._write(1, f"{ROW.row_index} {ROW.sample} {ROW.stage} {ROW.env}")
    os.utime(live.path, (_LATER, _LATER))
    return live.path


def watch(run, *commands, unread=b""):
    """Watches processes that each do one of these."""
    started = []
    for rank, command in enumerate(commands):
        ours, theirs = socket.socketpair()
        with theirs:
            if run:
                theirs.sendall(os.fsencode(run) + b"\0")
            ours.sendall(unread)
        process = subprocess.Popen(["sh", "-c", command], start_new_session=True)
        started.append(Started(rank, process, ours))
    meeting = SimpleNamespace(failure=lambda: None, fail=lambda why: None, leave=lambda seconds: None, is_lost=False)
    return Watch(started, LaunchPlan(len(commands)), meeting, {"num_processes": len(commands)})


def died(run, *commands):
    """The one error for these processes."""
    with pytest.raises(ProcessDiedError) as caught:
        watch(run, *commands).wait()
    return str(caught.value)


def test_a_killed_process_is_named_with_its_rows_and_one_command(run):
    theirs, innocent = at_work(run, 1), at_work(run, 0)
    told = died(run, WORKS, KILLED)
    assert "Process 1 of 2 was ended by SIGKILL while environment code worked on row 3 (score), and" in told
    assert told.endswith(f"begin again: grpo-env train --resume {run} --num-processes 2")
    assert theirs.exists()  # a resumed training is careful with it
    assert not innocent.exists()  # what watches this process has nothing to say, nor has a resumed training


def test_a_process_that_is_killed_between_the_rows_may_have_had_too_little_memory(run):
    assert "was ended by SIGKILL, which is often a lack of memory" in died(run, WORKS, KILLED)


def test_a_process_that_ends_as_if_all_were_done_while_environment_code_works_has_failed(run):
    at_work(run, 1)
    assert "Process 1 of 2 ended with exit code 0 while environment code worked on row 3 (score)" in died(
        run, WORKS, ENDS
    )


def test_a_process_that_ends_before_it_reads_a_second_interrupt_has_ended_well(run):
    assert watch(run, "true", unread=b"2").wait() == 0


def test_rows_of_an_earlier_death_are_not_those_of_this_one(run):
    os.utime(at_work(run, 1), (1, 1))
    assert watch(run, ENDS, ENDS).wait() == 0


@pytest.mark.parametrize("has_run", [False, True])
def test_a_signal_while_the_start_is_checked_ends_all_without_waiting_for_a_checkpoint(has_run, run, tmp_path):
    saved = tmp_path / "saved"
    found = watch(run if has_run else None, f"sleep {5 if has_run else 50}; touch {saved}", "exit 130")
    found._signals, found._handed_on = [signal.SIGTERM], 1
    assert found.wait() == 130
    assert saved.exists() == has_run
