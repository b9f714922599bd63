"""The processes of a training end with a command that is killed, and are left alone by one that ends well."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from grpo_env_trl.launching import killed_command

COMMAND = """
import runpy, subprocess, sys

started = [subprocess.Popen(["sleep", "3600"], start_new_session=True, stdout=1, stderr=2) for _ in range(2)]
beside = runpy.run_path(sys.argv[1])["ended_with_this_process"]
with beside([one.pid for one in started]):
    print(*(one.pid for one in started), file=sys.stderr, flush=True)
    sys.stdin.read(1)
print("left alone:", [one.poll() for one in started], file=sys.stderr, flush=True)
for one in started:
    one.kill()
"""


@pytest.fixture
def command():
    """A command that has started two processes in which no Python runs; they have its stdout."""
    words = [sys.executable, "-c", COMMAND, killed_command.__file__]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(words, text=True, **pipes)
    pids = [int(pid) for pid in process.stderr.readline().split()]
    yield process
    process.kill()
    process.communicate(timeout=60)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def test_processes_end_when_the_command_is_killed(command):
    command.kill()
    assert command.stdout.read() == ""  # which ends with the last of them that has it


def test_processes_are_left_alone_by_a_command_that_ends_well(command):
    _, told = command.communicate("q", timeout=60)
    assert told == "left alone: [None, None]\n"
