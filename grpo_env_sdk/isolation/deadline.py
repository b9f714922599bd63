"""Calls of code that may never return, under a deadline."""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.process_lock import process_lock

T = TypeVar("T")


class ForeignExitError(RuntimeError):
    """A `sys.exit`, keyboard interrupt or StopIteration raised by other people's code."""


def as_exception(error: BaseException) -> Exception:
    """The error as an ordinary exception: an event loop breaks on SystemExit and StopIteration."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = ForeignExitError(f"{type(error).__name__}: {error}")
    wrapped.__cause__ = error
    return wrapped.with_traceback(error.__traceback__)


def call_within(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """What `function` returns or raises, or a `DeadlineError` that names `what`."""
    if seconds is None:
        return function(*args, **kwargs)
    return call_in_thread(seconds, what, function, *args, **kwargs)


def call_in_thread(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """As `call_within`, always in a new thread; after the deadline it keeps running, as Python cannot stop a thread."""
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, function(*args, **kwargs)))
        except BaseException as exc:  # raised again in the caller, SystemExit too
            outcome.append((False, exc))

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
        raise DeadlineError(f"{what} did not come back within {seconds:g} s.")
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return value  # type: ignore[no-any-return]  # the thread's result has no static type
