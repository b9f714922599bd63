"""What a busy machine excuses: work takes longer there, and waiting does not."""

import os
import subprocess
import sys
import threading
import time

import pytest

from grpo_env_sdk.checking.evidence.playing import machine_load
from grpo_env_sdk.checking.evidence.playing.machine_load import (
    MOST_BUSY,
    FairClock,
    Spent,
    Stopwatch,
    busy,
    fair_seconds,
)


@pytest.mark.parametrize(
    ("spent", "quiet", "busy_part"),
    [
        (Spent(8.0, 4.0), 1.0, 0.5),
        (Spent(8.0, 4.0, slower=2.0), 0.5, 1.0),  # it worked all the time that it was given
        (Spent(8.0, 0.0, slower=3.0), 1.0, 0.0),  # it slept
        (Spent(8.0, 2.0, slower=3.0), 0.5, 0.5),
        (Spent(8.0, 16.0, slower=2.0), 0.5, 4.0),  # on several processors
    ],
)
def test_only_work_is_slower_on_a_busy_machine(spent, quiet, busy_part):
    assert (spent.quiet_part, spent.busy_part) == (quiet, busy_part)


def test_a_measurement_never_excuses_more_than_a_busy_machine_may():
    assert 1.0 <= busy() <= MOST_BUSY
    spent = Stopwatch().stop()
    assert spent.seconds > 0
    assert 1.0 <= spent.slower <= MOST_BUSY * 1.001


@pytest.mark.parametrize(
    ("passed", "lost", "worked", "counted"),
    [
        (4.0, 0.0, 4.0, 4.0),
        (4.0, 3.0, 1.0, 1.0),
        (4.0, 1.0, 0.0, 3.0),  # it slept
        (4.0, 6.0, 3.0, 3.0),  # some threads waited while others worked
        (4.0, 6.0, 8.0, 4.0),  # on several processors
        (40.0, 60.0, 0.0, 4.0),
    ],
)
def test_seconds_lost_waiting_for_a_processor_do_not_count(passed, lost, worked, counted):
    assert fair_seconds(passed, lost, worked) == counted


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this system does not say how long threads wait")
def test_a_process_that_another_one_keeps_from_working_loses_no_seconds():
    before, burning = os.sched_getaffinity(0), [sys.executable, "-c", "while True: pass"]
    os.sched_setaffinity(0, {min(before)})
    other = subprocess.Popen(burning)  # on the same processor
    try:
        clock, started = FairClock(), time.monotonic()
        while (passed := time.monotonic() - started) - clock.now() < 0.1:
            assert passed < 60
        assert clock.now() >= passed / MOST_BUSY
    finally:
        other.kill()
        other.wait()
        os.sched_setaffinity(0, before)


def test_a_system_that_does_not_say_how_long_threads_wait_is_no_error(monkeypatch):
    monkeypatch.setattr(machine_load, "_THREADS", "/nowhere")
    clock = FairClock()
    threading.Event().wait(0.05)
    assert clock.now() > 0


def test_all_that_a_thread_waited_counts_that_began_since_the_last_look(monkeypatch, tmp_path):
    def thread(name, waited):
        (tmp_path / name).mkdir()
        (tmp_path / name / "schedstat").write_text(f"0 {waited} 1\n")

    monkeypatch.setattr(machine_load, "_THREADS", str(tmp_path))
    thread("1", 10**12)
    clock, started = FairClock(), time.monotonic()
    thread("2", 10**12)
    threading.Event().wait(0.5)
    assert clock.now() < (time.monotonic() - started) / 2
