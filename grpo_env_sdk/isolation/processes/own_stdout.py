"""The command's own stdout: what environment code, C code and other processes print goes to stderr meanwhile."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from grpo_env_sdk.isolation.processes.lossy_output import lose_what_nobody_reads

_claimed: list[tuple[TextIO, int]] = []
"""Where the command writes, and the descriptor of it; the newest last."""
lead_nowhere: set[int] = set()
"""The descriptors whose output the command itself discards: nothing else is to be put there again."""


@contextmanager
def claimed_stdout(for_good: bool = False) -> Iterator[None]:
    """Keep stdout to what is written to `own_stdout()`.

    `sys.stdout` and descriptor 1, which started processes inherit, are stderr. With `for_good` they stay so: threads,
    exit handlers and buffers of C code still write when a command is over.
    """
    shown = sys.stdout
    shown.flush()
    kept = os.dup(1)
    own = shown
    if _number(shown) == 1:
        own = lose_what_nobody_reads(kept, shown)
    os.dup2(2, 1)
    _claimed.append((own, kept))
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        if not for_good:
            _claimed.pop()
            sys.stdout = shown
            if own is not shown:
                with suppress(OSError):  # the reader has gone, or the disk is full: reported when it was written
                    own.close()
            os.dup2(kept, 1)
            os.close(kept)


def own_stdout() -> TextIO:
    """Where the output of the command goes."""
    return _claimed[-1][0] if _claimed else sys.stdout


def own_descriptor() -> int:
    """The stdout of a process that prints for the command."""
    return _claimed[-1][1] if _claimed else 1


def discard_output() -> None:
    """Send what is still to be written nowhere: Python would report at its end that it cannot."""
    send_nowhere(own_stdout().fileno())


def send_nowhere(descriptor: int) -> None:
    """Discard what is written to a descriptor from now on."""
    lead_nowhere.add(descriptor)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != descriptor:  # as where it was closed
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _number(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (io.UnsupportedOperation, ValueError):  # a test's or a notebook's
        return None
