"""A worker that a fork server started: a socket to talk to it, and how it ended."""

import os
import select
import socket
import struct
import threading
from collections.abc import Callable

from grpo_env_sdk.isolation.processes.ending_signals import signal_name

FATE = struct.Struct("!i")
"""How a worker ended: its exit code, or the negative number of a signal."""
UNTIL_REAPED = 2.0
DESCRIPTOR_CLOSED = 97
"""The exit code of a worker whose descriptors were closed by the code that it runs."""


class Forked:
    """A worker process: a socket to talk to it, and how it ended once it has."""

    def __init__(
        self, kill: Callable[[], None], give_up: Callable[[int], None], talk: socket.socket, fate: int
    ) -> None:
        self.socket = talk
        self._kill, self._give_up, self._fate = kill, give_up, fate
        self.code: int | None = None
        """Its exit code, or the negative number of a signal; None while it runs, and where nobody knows."""

    def kill(self) -> None:
        """End it, with everything that it started; without waiting until it is gone."""
        self.socket.close()
        fate, self._fate = self._fate, -1
        if fate >= 0:
            self._kill()
            threading.Thread(target=self._see_it_end, args=(fate,), name="grpo-env worker ends", daemon=True).start()

    def _see_it_end(self, fate: int) -> None:
        """End the server too where it does not say that the worker is gone."""
        if self.code is None and not is_told(fate, UNTIL_REAPED):
            self._give_up(fate)
        os.close(fate)

    @property
    def ended(self) -> bool:
        """Whether it has ended, or its server has."""
        return self._fate < 0 or is_told(self._fate, 0.0)

    def wait(self, seconds: float) -> int | None:
        """How it ended, if it does in time."""
        if self.code is None and self._fate >= 0 and is_told(self._fate, seconds):
            told = os.read(self._fate, FATE.size)
            self.code = FATE.unpack(told)[0] if len(told) == FATE.size else None
        return self.code


def ended_how(code: int | None) -> str:
    """`ended with exit code 3`, `crashed (SIGSEGV)`: how a process ended, after its name."""
    if code is None:
        return "ended"
    if code == DESCRIPTOR_CLOSED:
        return "ended because its code closed a descriptor that it did not open or replaced functions of the SDK"
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal_name(-code)
    if name == "SIGKILL":
        return "was killed (SIGKILL), perhaps because it used too much memory"
    if name == "SIGXCPU":
        return "used too much processor time (SIGXCPU)"
    return f"crashed ({name})" if name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL") else f"ended by {name}"


def is_told(fate: int, seconds: float) -> bool:
    """Whether there is something to read in time; `select` takes no descriptor above 1,023."""
    poll = select.poll()
    poll.register(fate, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
