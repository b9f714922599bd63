"""The process of a command, in which environment code runs in threads: what that takes away or ends is put right.

Nothing here is done in a program that uses the package: its process is its own.
"""

import errno
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.isolation.values.json_values import short_repr

if TYPE_CHECKING:
    from grpo_env_sdk.isolation.calls.watch_process import WatchProcess

leave = os._exit
"""Ends this process at once, also while `os._exit` reports who calls it."""
_DOES: dict[str, Callable[..., NoReturn]] = {name: getattr(os, name) for name in ("_exit", "execv", "execve")}
"""What ends this process, or puts another program in its place."""
GRACE_SECONDS = 20.0
"""How much longer than the deadline of a call no Python may run before the process is ended."""
_HINT = "With --env-pool process it ends a worker process."
FAILED = 2
"""The exit code where environment code ends the process as if all had gone well."""
_STREAMS = {"stdout": 1, "stderr": 2}
_running: "dict[int, EnvCall]" = {}
"""Which call of environment code each thread is in."""
_kept: "list[_Kept]" = []
_watch: "list[WatchProcess]" = []
"""The process that watches this one, once environment code is to be imported."""
watched: list[Path] = []
"""Has something while another process waits to say how a run ended."""
_started_by: list[int] = []
"""Has something where whoever started this process says that it ended."""
os.register_at_fork(after_in_child=_watch.clear)


@dataclass(frozen=True)
class _Kept:
    """What a command needs of its process."""

    as_json: bool
    grace: float
    pid: int = field(default_factory=os.getpid)
    limit: int = field(default_factory=sys.getrecursionlimit)
    filters: list[Any] = field(default_factory=lambda: [*warnings.filters])
    encodings: dict[str, Any] = field(default_factory=lambda: {name: getattr(sys, name).encoding for name in _STREAMS})


@contextmanager
def own_process(
    tell: Callable[[GrpoEnvError], None], as_json: bool = False, grace: float = GRACE_SECONDS
) -> Iterator[None]:
    """While this lasts, `set_back` works, and another process watches environment code.

    `grace` is how many seconds longer than a call may take no Python may run before this process is ended.
    From now on, also while exit handlers run, `tell` gets an error where environment code calls `os._exit` or the like.
    """
    _kept.append(_Kept(as_json, grace))
    _report_ends(_kept[-1].pid, tell)
    try:
        yield
    except OSError as exc:
        if exc.errno != errno.EBADF or not _watch or _watch[-1].has_pipe:
            raise
        message = "Code of the environment closed descriptors that it did not open, so this command cannot go on."
        raise EnvironmentFailedError(message, _HINT) from exc
    finally:
        if _watch:
            _watch.pop().close()
        _kept.pop()


def says_alone() -> bool:
    """Whether nothing else is printed: by the process that watches a run, or by a command that is over."""
    return bool(_kept) and not watched


def end_is_reported() -> None:
    """From now on whoever started this process says that it was killed or ended itself, and nobody else does."""
    _started_by.append(os.getppid())


def watch_from_now() -> None:
    """In the process of a command: have another one see whether environment code holds this one, or ends it."""
    if _kept and not _watch:
        from grpo_env_sdk.isolation.calls.watch_process import WatchProcess

        _watch.append(WatchProcess(_kept[-1].as_json, _kept[-1].grace, says_end=not _started_by))
        _watch[-1].start(with_signals=True)


def watch_of_command() -> "WatchProcess | None":
    """The process that watches this one, if it is that of a command."""
    watch_from_now()
    return _watch[-1] if _watch else None


class EnvCall:
    """A context manager around a call of environment code in this thread; `what` names it, `seconds` is its time."""

    __slots__ = ("_before", "_thread", "seconds", "what")

    def __init__(self, what: str, seconds: float | None = None) -> None:
        self.what, self.seconds = what, seconds
        self._thread = threading.get_ident()
        self._before = _running.get(self._thread)

    def __enter__(self) -> None:
        _running[self._thread] = self
        for watch in _watch:
            watch.note_call(self.what, self.seconds)

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is None:
            _running.pop(self._thread, None)
        else:
            _running[self._thread] = self._before
        for watch in _watch:
            *_, last = None, *_running.values()
            watch.note_call(last.what if last else "", last.seconds if last else None)
        set_back(self.what)


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


def _report_ends(pid: int, tell: Callable[[GrpoEnvError], None]) -> None:
    """Have every function of Python that ends this process, or puts a program in its place, say who called it."""
    for module in (os, sys.modules["posix"]):
        for name in _DOES:
            setattr(module, name, _reporting(name, pid, tell))


def _reporting(name: str, pid: int, tell: Callable[[GrpoEnvError], None]) -> Callable[..., NoReturn]:
    """What stands in for such a function: it ends the process, but not without a word, and never as a success."""
    does = _DOES[name]

    def ends(*given: Any, **named: Any) -> NoReturn:
        first = next(iter((*given, *named.values())), None)
        if os.getpid() != pid or not _does_end(name, first):  # what was forked ends as it likes
            does(*given, **named)
        call = _running.get(threading.get_ident())
        whose = call.what if call else "Code of the environment"
        try:
            set_back(whose)
            for watch in _watch:
                watch.note_call("")  # which is said here
            tell(
                EnvironmentFailedError(
                    f"{whose} ended this process with os.{name}({short_repr(first)}){_caller()}.",
                    _HINT,
                )
            )
        finally:
            leave((first & 0xFF if isinstance(first, int) else 0) or FAILED)

    return ends


def _does_end(name: str, first: Any) -> bool:
    """Whether the function ends this process: no other program takes its place where there is none."""
    return name == "_exit" or isinstance(first, int) or os.access(first, os.X_OK)


def _caller() -> str:
    """Where the function was called from; nothing where no Python code called it, as an exit handler."""
    try:
        caller: FrameType | None = sys._getframe(2)
    except ValueError:
        return ""
    while caller and caller.f_globals is vars(os):  # `os.execvp` calls `os.execv`
        caller = caller.f_back
    return f" ({os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno})" if caller else ""
