"""Calls of code that may never return, under a deadline."""

import threading
import time
from collections.abc import Callable
from types import GetSetDescriptorType, TracebackType
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.command_process import EnvCall, leave_call_behind
from grpo_env_sdk.isolation.calls.process_lock import process_lock
from grpo_env_sdk.isolation.values.error_text import error_text, type_name

T = TypeVar("T")
_READ_LATER = ("__class__", "__cause__", "__context__", "__dict__", "__traceback__")
"""What is read of an error in other threads, where a class may have put a property of its own."""
_traceback_of: Callable[[BaseException], TracebackType | None] = BaseException.__dict__["__traceback__"].__get__


class ForeignExitError(RuntimeError):
    """What other people's code raised that is no ordinary exception, such as `sys.exit` or a keyboard interrupt."""


def as_exception(error: BaseException) -> Exception:
    """The error as an ordinary exception, whose text is read: call it in the thread and time of whose code raised it.

    An event loop breaks on SystemExit and StopIteration, and a keyboard interrupt of an environment is not the user's.
    """
    text, kind = error_text(error), type(error)
    odd = _acts_when_read(kind)
    if issubclass(kind, Exception) and not issubclass(kind, StopIteration) and not odd:
        return error  # type: ignore[return-value]  # an Exception, though its class may say otherwise
    wrapped = ForeignExitError(f"{type_name(error)}: {text}")
    wrapped.__cause__ = None if odd else error
    return wrapped.with_traceback(_traceback_of(error))


def _acts_when_read(kind: type[BaseException]) -> bool:
    """Whether an error of this class calls its author's code as other threads read what every error has."""
    if kind.__getattribute__ is not BaseException.__getattribute__:
        return True
    own = [vars(base) for base in kind.__mro__]
    return any(name in names and type(names[name]) is not GetSetDescriptorType for names in own for name in _READ_LATER)


def by_user(error: BaseException) -> bool:
    """Whether an interrupt may be the user's, which comes in the main thread alone, and not one of other code."""
    return type(error) is KeyboardInterrupt and threading.current_thread() is threading.main_thread()


def raised_there(error: BaseException) -> BaseException:
    """What other people's code raised, where `as_exception` wrapped it."""
    return error.__cause__ if isinstance(error, ForeignExitError) and error.__cause__ else error


def call_within(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """What `function` returns or raises, or a `DeadlineError` that names `what`."""
    if seconds is None:
        try:
            with EnvCall(what, seconds):
                return function(*args, **kwargs)
        except (Exception, KeyboardInterrupt):  # the user's own, as this is their thread
            raise
        except BaseException as exc:
            raise as_exception(exc) from exc
    return call_in_thread(seconds, what, function, *args, **kwargs)


def call_in_thread(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """As `call_within`, always in a new thread; after the deadline it keeps running, as Python cannot stop a thread."""
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            with EnvCall(what, seconds):
                value = function(*args, **kwargs)
            outcome.append((True, value))
        except BaseException as exc:  # raised again in the caller
            outcome.append((False, as_exception(exc)))

    thread = threading.Thread(target=run, name=f"grpo-env: {what}", daemon=True)
    started = time.monotonic()
    thread.start()
    thread.join(seconds)
    while seconds is not None and not outcome:  # what it waited for others is not its own time
        left = started + seconds + process_lock.waited_by(thread.ident) - time.monotonic()
        if left <= 0:
            break
        thread.join(left)
    if not outcome:
        process_lock.leave_behind(thread.ident, what)
        leave_call_behind(thread.ident)
        raise DeadlineError(f"{what} did not come back within {seconds:g} s.")
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return value  # type: ignore[no-any-return]  # the thread's result has no static type
