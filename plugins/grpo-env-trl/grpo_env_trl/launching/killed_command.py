"""Ends the processes of a training when the command that started them is killed, whatever code holds them then.

    python killed_command.py PID ...

Each process ends itself once the command is gone (`attached.py`), but not while environment code holds its interpreter.
Only the standard library, so that it starts at once. Its input ends with the command, or is a byte where all is over.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


@contextmanager
def ended_with_this_process(leaders: Sequence[int]) -> Iterator[None]:
    """While this lasts these processes, each with its group, end when this one does, even if it is killed."""
    try:
        words = [sys.executable, "-I", "-S", __file__, *map(str, leaders)]
        beside = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
    except OSError:  # no more processes: each sees to itself
        yield
        return
    try:
        yield
    finally:
        beside.communicate(b"q")


def main(leaders: Sequence[int]) -> None:
    """Wait for the end of the input, and kill the groups unless it ends well."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # of a scheduler that signals every process of a job
        signal.signal(number, signal.SIG_IGN)
    if os.read(0, 1):
        return
    for leader in leaders:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
