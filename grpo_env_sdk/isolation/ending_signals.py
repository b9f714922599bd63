"""Signals that ask a command to end, and the terminal that may be gone by then."""

import os
import signal
import stat
from contextlib import suppress

from grpo_env_sdk.isolation.own_stdout import own_descriptor


def ending_signals() -> list[signal.Signals]:
    """Ctrl-C, SIGTERM, and SIGHUP of a closed terminal, unless `nohup` has the command ignore that."""
    hung_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hung_up]


def note_hangup(number: int) -> None:
    """After SIGHUP: what is printed to a terminal that is gone goes nowhere, as writing to it would be an error."""
    if number != signal.SIGHUP:
        return
    for descriptor in {1, 2, own_descriptor()}:
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
