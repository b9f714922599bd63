"""The process of a command, in which environment code runs in threads: what that takes away or ends is put right.

Nothing here is done in a program that uses the package: its process is its own.
"""

import atexit
import errno
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.isolation.calls.kept_process import KeptProcess, usable_folder
from grpo_env_sdk.isolation.values.json_values import short_repr

if TYPE_CHECKING:
    from grpo_env_sdk.isolation.calls.watch_process import WatchProcess

end_process = os._exit
"""Ends this process at once, also while `os._exit` reports who calls it."""
_DOES: dict[str, Callable[..., NoReturn]] = {name: getattr(os, name) for name in ("_exit", "execv", "execve")}
"""What ends this process, or puts another program in its place."""
GRACE_SECONDS = 20.0
"""How much longer than the deadline of a call no Python may run before the process is ended."""
_HINT = "With --env-pool process it ends a worker process."
_hints = [_HINT]
"""What to do about code that ends this process, the last of which holds."""
FAILED = 2
"""The exit code where environment code ends the process as if all had gone well."""
_SPOILT = (errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EPERM)
"""What the system says of a descriptor that is closed, or is of another kind of file by now."""
_running: "dict[int, EnvCall]" = {}
"""Which call of environment code each thread is in."""
_under_way: set[object] = set()
"""The calls that have time left: until none is, others may need what one of them has changed."""
_begins_or_ends = threading.Lock()
_kept: list[KeptProcess] = []
_watch: "list[WatchProcess]" = []
"""The process that watches this one, once environment code is to be imported."""
watched: list[Path] = []
"""Has something while another process waits to say how a run ended."""
_end_is_reported = threading.Event()
"""Set where whoever started this process says that it ended."""
os.register_at_fork(after_in_child=_watch.clear)


@contextmanager
def command_process(
    tell: Callable[[GrpoEnvError], None], as_json: bool = False, grace: float = GRACE_SECONDS
) -> Iterator[None]:
    """While this lasts, what calls change of the process is set back, and another one watches environment code.

    `grace` is how many seconds longer than a call may take no Python may run before this process is ended.
    From now on, also while exit handlers run, `tell` gets an error where environment code calls `os._exit` or the like.
    """
    kept = KeptProcess(as_json, grace)
    _kept.append(kept)
    _report_ends(kept.pid, tell)
    atexit.register(_set_back_to_first, kept)  # after the exit handlers of environment code
    try:
        yield
    except OSError as exc:
        if exc.errno not in _SPOILT or not _watch or _watch[-1].has_pipe:
            raise
        message = (
            "Code of the environment closed descriptors that it did not open, or put other files in their place, "
            "so this command cannot go on."
        )
        raise EnvironmentFailedError(message, _HINT) from exc
    finally:
        if _watch:
            _watch.pop().close()
        _kept.pop()
        _under_way.clear()
        _set_back_to_first(kept)


@contextmanager
def ends_by(hint: str) -> Iterator[None]:
    """While this lasts, `hint` is what to do about code that ends this process: none of an environment runs."""
    _hints.append(hint)
    try:
        yield
    finally:
        _hints.pop()


def _set_back_to_first(kept: KeptProcess) -> None:
    """As when the command began: what a call has left that ran out of time is not said again."""
    if kept.pid == os.getpid():
        kept.go_back()
        kept.streams.set_back_to_first()


def says_alone() -> bool:
    """Whether nothing else is printed: by the process that watches a run, or by a command that is over."""
    return bool(_kept) and not watched


def end_is_reported() -> None:
    """From now on whoever started this process says that it was killed or ended itself, and nobody else does."""
    _end_is_reported.set()


def in_folder_of_command(path: Path) -> Path:
    """The whole path of one that is relative to where the command began, wherever environment code has gone since."""
    return path if path.is_absolute() else Path(_kept[-1].folder if _kept else usable_folder(), path)


def own_stream(stream: TextIO | None) -> TextIO | None:
    """Where the command prints what is meant for a stream of `sys`, in which calls may have another at this moment."""
    return _kept[-1].streams.own(stream) if _kept and _under_way else stream


def watch_from_now() -> None:
    """In the process of a command: have another one see whether environment code holds this one, or ends it."""
    if _kept and not _watch:
        from grpo_env_sdk.isolation.calls.watch_process import WatchProcess

        _watch.append(WatchProcess(_kept[-1].as_json, _kept[-1].grace, says_end=not _end_is_reported.is_set()))
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
        begin_call(self)
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
        end_call(self, self.what)

    def leave_behind(self) -> None:
        """Its time is up: what it has changed is set back, and no longer left to it."""
        if self._before is not None:
            self._before.leave_behind()
        end_call(self, self.what)


def leave_call_behind(thread: int | None) -> None:
    """The call of environment code in a thread has run out of time."""
    if (call := _running.get(thread or 0)) is not None:
        call.leave_behind()


def begin_call(call: object) -> None:
    """A call of environment code begins, in a thread or on an event loop."""
    if (kept := _of_this_process()) is not None:
        with _begins_or_ends:
            if not _under_way:
                kept.streams.note()
            _under_way.add(call)


def end_call(call: object, what: str) -> None:
    """A call has ended, or its time has: after the last one the process is as it was before the first."""
    if (kept := _of_this_process()) is not None:
        with _begins_or_ends:
            is_last = _under_way == {call}
            _under_way.discard(call)
            changed = kept.set_back(is_last)
        _say_set_back(what, changed)


def note_streams() -> None:
    """A display of ours has put streams of its own in the place of others, or has put those back."""
    if (kept := _of_this_process()) is not None:
        _say_set_back("The display", kept.set_back(everything=False))  # it may put back what is closed by now
        kept.streams.note()


def _of_this_process() -> KeptProcess | None:
    """What the command has; None in what environment code has forked from it."""
    kept = next(iter(_kept[-1:]), None)
    return kept if kept is not None and kept.pid == os.getpid() else None


def _set_back_at_once(what: str) -> None:
    """Before the process ends in the middle of calls: nobody needs any more what they have changed."""
    if (kept := _of_this_process()) is not None:
        _say_set_back(what, kept.set_back(everything=bool(_under_way)))


def _say_set_back(what: str, changed: list[str]) -> None:
    if changed:
        text = f"{what} changes {' and '.join(changed)} for this whole process: set back."
        warnings.showwarning(GrpoEnvWarning(text), GrpoEnvWarning, __file__, 0)  # whatever the filters are


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
            _set_back_at_once(whose)
            for watch in _watch:
                watch.note_call("")  # which is said here
            tell(
                EnvironmentFailedError(
                    f"{whose} ended this process with os.{name}({short_repr(first)}){_caller()}.",
                    _hints[-1],
                )
            )
        finally:
            end_process((first & 0xFF if isinstance(first, int) else 0) or FAILED)

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
