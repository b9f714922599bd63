"""How signals end a command: between two steps of an event loop, and after its terminal is closed."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from grpo_env_sdk.isolation.calls import async_calls
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine, run_loop
from grpo_env_sdk.isolation.processes.ending_signals import signals_interrupt

GONE = """
import os, signal
from grpo_env_sdk.isolation.processes import ending_signals as ours
from grpo_env_sdk.isolation.processes.ending_signals import ending_signals, note_hangup

ours.UNTIL_CLOSED_MS = 30_000
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # who runs the tests under nohup ignores it
for number in ending_signals():
    signal.signal(number, lambda number, frame: (os.write(3, b"signal"), note_hangup(number)))
os.write(3, b"ready")
os.read(0, 1)
print("to nobody", flush=True)
os.write(3, b"went on")
"""


@pytest.mark.parametrize("closed", ["before the signal", "after it"])
def test_what_is_printed_to_a_terminal_that_is_gone_is_no_error(closed):
    ours, theirs = pty.openpty()
    answer, tell = os.pipe()
    waits, go = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", f"import os; os.dup2({tell}, 3)\n{GONE}"], stdin=waits, stdout=theirs, stderr=theirs,
        pass_fds=[tell],
    ) as process:  # fmt: skip
        for used in (theirs, tell, waits):
            os.close(used)
        assert os.read(answer, 100) == b"ready"
        if closed == "before the signal":
            os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert os.read(answer, 100) == b"signal"
        if closed == "after it":
            os.close(ours)
        os.write(go, b"x")
        assert os.read(answer, 100) == b"went on"
    assert process.returncode == 0


def test_under_nohup_a_closed_terminal_ends_nothing():
    code = (
        "from grpo_env_sdk.isolation.processes.ending_signals import ending_signals; print(*map(int, ending_signals()))"
    )
    ignoring = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    assert [*map(int, ignoring.stdout.split())] == [signal.SIGINT, signal.SIGTERM]


async def nothing():
    pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_event_loop_ends_between_two_of_its_steps(number):
    reached = []

    async def work():
        made = nothing()
        os.kill(os.getpid(), number)
        await made  # else it warns that nobody awaited it
        reached.append("after the signal")
        await asyncio.sleep(60)
        reached.append("to the end")

    with pytest.raises(KeyboardInterrupt), signals_interrupt():
        run_loop(work())
    assert reached == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("run", [run_loop, run_coroutine])
def test_ctrl_c_also_cancels_work_that_another_event_loop_waits_for(run):
    reached = []

    async def work():
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(60)
        finally:
            reached.append("cancelled")

    async def cell():
        with pytest.raises(KeyboardInterrupt):
            run(work())
        assert asyncio.get_event_loop() is asyncio.get_running_loop()
        assert reached == ["cancelled"]

    loop = asyncio.new_event_loop()
    loop.run_until_complete(cell())
    loop.close()


def test_ctrl_c_before_that_work_begins_cancels_it_too(monkeypatch):
    def interrupted_at_once(seconds, what, run):
        def late():
            time.sleep(0.1)
            with suppress(asyncio.CancelledError):
                run()

        threading.Thread(target=late).start()
        raise KeyboardInterrupt

    async def work():
        try:
            await asyncio.sleep(5)
            reached.append("its end")
        finally:
            reached.append("left")

    async def cell():
        with pytest.raises(KeyboardInterrupt):
            run_coroutine(work())

    reached = []
    monkeypatch.setattr(async_calls, "call_in_thread", interrupted_at_once)
    asyncio.run(cell())
    assert reached == ["left"]


def test_sigterm_interrupts_also_where_a_shell_ignores_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), signals_interrupt():
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
