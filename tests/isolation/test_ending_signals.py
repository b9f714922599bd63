"""What a command does once the terminal that it prints to is closed."""

import os
import pty
import signal
import subprocess
import sys

GONE = """
import os, signal
from grpo_env_sdk.isolation.ending_signals import ending_signals, note_hangup

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # who runs the tests under nohup ignores it
for number in ending_signals():
    signal.signal(number, lambda number, frame: note_hangup(number))
print("ready", flush=True)
os.read(0, 1)
print("to nobody", flush=True)
os.write(3, b"went on")
"""


def test_what_is_printed_to_a_terminal_that_is_gone_is_no_error():
    ours, theirs = pty.openpty()
    answer, tell = os.pipe()
    waits, go = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", f"import os; os.dup2({tell}, 3)\n{GONE}"], stdin=waits, stdout=theirs, stderr=theirs,
        pass_fds=[tell],
    )  # fmt: skip
    for used in (theirs, tell, waits):
        os.close(used)
    assert b"ready" in os.read(ours, 100)
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    os.write(go, b"x")
    assert os.read(answer, 100) == b"went on"
    assert process.wait(30) == 0


def test_under_nohup_a_closed_terminal_ends_nothing():
    code = "from grpo_env_sdk.isolation.ending_signals import ending_signals; print(*map(int, ending_signals()))"
    ignoring = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    assert [*map(int, ignoring.stdout.split())] == [signal.SIGINT, signal.SIGTERM]
