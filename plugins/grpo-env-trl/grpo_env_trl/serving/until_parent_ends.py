"""Run a command, and end it and all that it started when the process that wanted it is gone, even if it was killed.

    python until_parent_ends.py PARENT_PID COMMAND ...

Only the standard library, so that it starts at once. SIGTERM ends the command too.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import FrameType

POLL = 0.2
GRACE = 15.0
"""Seconds that the command gets to end by itself."""


def main(parent: int, command: list[str]) -> int:
    """The exit code of the command."""
    asked = []

    def end(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        while child.poll() is None and not asked and os.getppid() == parent:
            time.sleep(POLL)
    finally:
        _end(child)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End the command and every process of its group."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
