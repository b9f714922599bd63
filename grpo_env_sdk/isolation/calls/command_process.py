"""The process of a command, in which environment code runs in threads: what that takes away or ends is put right.

Nothing here is done in a program that uses the package: its process is its own.
"""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NoReturn

from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning

leave = os._exit
"""Ends this process at once, also while `os._exit` reports who calls it."""
FAILED = 2
"""The exit code where environment code ends the process as if all had gone well."""
_STREAMS = {"stdout": 1, "stderr": 2}
_running: dict[int, str] = {}
"""Which call of environment code each thread is in."""
_kept: "list[_Kept]" = []
watched: list[int] = []
"""Has something while another process waits to say how this one ended."""


@dataclass(frozen=True)
class _Kept:
    """What a command needs of its process."""

    pid: int = field(default_factory=os.getpid)
    limit: int = field(default_factory=sys.getrecursionlimit)
    filters: list[Any] = field(default_factory=lambda: [*warnings.filters])
    encodings: dict[str, Any] = field(default_factory=lambda: {name: getattr(sys, name).encoding for name in _STREAMS})


@contextmanager
def own_process(tell: Callable[[GrpoEnvError], None]) -> Iterator[None]:
    """While this lasts, `set_back` works, and `tell` gets an error where environment code calls `os._exit`."""
    _kept.append(_Kept())
    os._exit = _reporting(_kept[-1].pid, tell)  # type: ignore[assignment]  # it takes the same number
    try:
        yield
    finally:
        os._exit = leave
        _kept.pop()


class EnvCall:
    """A context manager around a call of environment code in this thread; `what` names it."""

    __slots__ = ("_before", "_thread", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._thread = threading.get_ident()
        self._before = _running.get(self._thread)

    def __enter__(self) -> None:
        _running[self._thread] = self._what

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is None:
            _running.pop(self._thread, None)
        else:
            _running[self._thread] = self._before
        set_back(self._what)


def set_back(what: str) -> None:
    """Set back what environment code took away from the process of a command, and say so once."""
    if not _kept:
        return
    kept, changed = _kept[-1], []
    if sys.getrecursionlimit() < kept.limit:
        changed.append(f"the recursion limit, to {sys.getrecursionlimit()},")
        sys.setrecursionlimit(kept.limit)
    for name, number in _STREAMS.items():
        stream = getattr(sys, name, None)
        if stream is None or getattr(stream, "closed", False):
            setattr(sys, name, _opened(number, kept.encodings[name]))
            changed.append(f"sys.{name}")
    if not _running and (errors := [each for each in warnings.filters if _is_for_all(each, kept)]):
        warnings.filters[:] = [each for each in warnings.filters if each not in errors]  # type: ignore[index]
        warnings._filters_mutated()  # type: ignore[attr-defined]  # as `warnings.simplefilter` does
        changed.append("the filters of warnings, to errors,")
    if changed:
        text = f"{what} changes {' and '.join(changed)} for this whole process: set back."
        warnings.showwarning(GrpoEnvWarning(text), GrpoEnvWarning, __file__, 0)  # whatever the filters are


def _is_for_all(found: Any, kept: _Kept) -> bool:
    """Whether a new filter makes errors of all warnings of a kind, of whatever module."""
    action, text, _, module, _ = found
    return action == "error" and text is None and module is None and found not in kept.filters


def _opened(number: int, encoding: str) -> Any:
    try:
        return open(number, "w", encoding=encoding, errors="backslashreplace", buffering=1, closefd=False)
    except OSError:  # the descriptor was closed too
        return open(os.devnull, "w", encoding="utf-8")


def _reporting(pid: int, tell: Callable[[GrpoEnvError], None]) -> Callable[[int], NoReturn]:
    """What stands in for `os._exit`: it ends the process too, but not without a word, and never as a success."""

    def _exit(status: int) -> NoReturn:
        if os.getpid() == pid:  # what was forked ends as it likes
            caller = sys._getframe(1)
            where = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
            whose = _running.get(threading.get_ident(), "Code of the environment")
            set_back(whose)
            tell(
                EnvironmentFailedError(
                    f"{whose} ended this process with os._exit({status}) ({where}).",
                    "With --env-pool process it ends a worker process.",
                )
            )
        leave(status or FAILED)

    return _exit
