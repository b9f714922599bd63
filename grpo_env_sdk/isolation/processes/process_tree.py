"""The processes below this one: adopted, ended with their parent, and killed with all that they started."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from grpo_env_sdk.isolation.sandbox.child_processes import children_of

_PDEATHSIG, _SUBREAPER = 1, 36
"""Options of prctl: the signal that a process gets when its parent ends; orphans below it become its children."""
_UNTIL_GONE = 5.0
"""How long a process that ends waits until those below it are gone."""
_ORDERS = {signal.SIGTERM, signal.SIGCHLD}


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent ends; with 0 none."""
    _prctl(_PDEATHSIG, number)


def adopt_orphans() -> None:
    """Make what processes below this one leave behind children of this one."""
    _prctl(_SUBREAPER, 1)


def kill(pid: int) -> None:
    """Kill a process and the group that it leads."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def kill_children() -> None:
    """Kill all children, and what becomes a child by that, until none is left."""
    ends = time.monotonic() + _UNTIL_GONE
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < ends:
            for pid in children_of(os.getpid()):
                kill(pid)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)


def kill_marked(name: str, value: str) -> None:
    """Kill all processes that were started with this variable: those below a process which could not kill them."""
    mark, ends = f"{name}={value}".encode(), time.monotonic() + _UNTIL_GONE
    while time.monotonic() < ends and (found := list(_started_with(mark))):
        for pid in found:
            kill(pid)
        time.sleep(0.005)


def _started_with(mark: bytes) -> Iterator[int]:
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if mark in (place / "environ").read_bytes().split(b"\0"):
                yield int(place.name)


def go_on_in_child() -> None:
    """Return in a child of this process. This one stays, and kills what the child has left once it has ended.

    At SIGTERM, and when its own parent ends, it kills the child. It ends as the child did.
    """
    adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _ORDERS)
    parent, here = os.getppid(), os.getpid()
    pid = os.fork()
    if pid:
        _stay(pid, parent)
    end_with_parent()
    if os.getppid() != here:
        os._exit(1)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ORDERS)


def _stay(pid: int, parent: int) -> NoReturn:
    os.closerange(0, 1 << 16)  # what reads from the child sees its end
    end_with_parent(signal.SIGTERM)
    code = None
    if os.getppid() != parent:
        kill(pid)
    while code is None:
        if signal.sigwait(_ORDERS) == signal.SIGTERM:
            kill(pid)
        code = _code_of(pid)
    kill_children()
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
        os.kill(os.getpid(), -code)
    os._exit(max(0, code))


def _code_of(pid: int) -> int | None:
    """How a child ended, with all others that have ended reaped; None while it runs."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == pid:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
