"""Calling code that may never come back."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError

T = TypeVar("T")


class ForeignExitError(RuntimeError):
    """`sys.exit`, a keyboard interrupt or a bare StopIteration raised by somebody else's code."""


def carried(error: BaseException) -> Exception:
    """The error in a form that an event loop can hold: an exit or StopIteration would break it."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    made = ForeignExitError(f"{type(error).__name__}: {error}")
    made.__cause__ = error
    return made.with_traceback(error.__traceback__)


def call_within(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """What `function` returns or raises, or a `DeadlineError` that says what took too long."""
    if seconds is None:
        return function(*args, **kwargs)
    return call_in_thread(seconds, what, function, *args, **kwargs)


def call_in_thread(seconds: float | None, what: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """As `call_within`, in a thread of its own; one that runs out of time is left behind, as Python cannot stop it."""
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, function(*args, **kwargs)))
        except BaseException as exc:  # handed to the caller, SystemExit included
            outcome.append((False, exc))

    thread = threading.Thread(target=run, name=f"grpo-env: {what}", daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise DeadlineError(f"{what} did not come back within {seconds:g} s.")
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return value  # type: ignore[no-any-return]  # the thread's result has no static type
