"""Signals that ask a command to end, and the terminal that may be gone by then."""

import os
import select
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

from grpo_env_sdk.isolation.processes.own_stdout import own_descriptor, send_nowhere

UNTIL_CLOSED_MS = 500  # some terminals send SIGHUP first, and close then


def ending_signals() -> list[signal.Signals]:
    """Ctrl-C, SIGTERM, and SIGHUP of a closed terminal, unless `nohup` has the command ignore that."""
    hung_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hung_up]


def signal_name(number: int) -> str:
    """`SIGTERM`; `signal 35` for one without a name of its own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def note_hangup(number: int) -> None:
    """After SIGHUP: what is printed to a terminal that is gone goes nowhere, as writing to it would be an error."""
    if number != signal.SIGHUP:
        return
    for descriptor in {1, 2, own_descriptor()}:
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and _is_closed(descriptor):
                send_nowhere(descriptor)


def _is_closed(terminal: int) -> bool:
    if not os.isatty(terminal):
        return True
    closing = select.poll()
    closing.register(terminal, 0)  # of nothing but that it is closed, which is told before it is no terminal any more
    return bool(closing.poll(UNTIL_CLOSED_MS)) or not os.isatty(terminal)


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """SIGTERM of schedulers and SIGHUP of terminals are Ctrl-C while this lasts; further ones disturb nothing."""
    in_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in ending_signals() if in_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, partial(_interrupt, os.getpid()))
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(whose: int, number: int, frame: FrameType | None) -> None:
    if os.getpid() != whose:  # environment code has forked this process, and ends it
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return
    note_hangup(number)
    for each in ending_signals()[1:]:
        signal.signal(each, _ignore)
    of_ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(of_ctrl_c):  # a shell has the command ignore it
        raise KeyboardInterrupt
    of_ctrl_c(signal.SIGINT, frame)  # an event loop has its own: raised between two of its steps, it loses coroutines


def _ignore(number: int, frame: FrameType | None) -> None:
    """Nothing: unlike SIG_IGN, no process that is started takes this over."""
