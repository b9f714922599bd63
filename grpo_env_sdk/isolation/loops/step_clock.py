"""Whose code has an event loop, and for how long: the time of other calls is not part of a call's deadline."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context, ContextVar, copy_context
from typing import Any

from grpo_env_sdk.isolation.calls.deadline import as_exception

Around = Callable[[], AbstractContextManager[Any]]


class Timed:
    """A call whose steps are timed: a step is what runs between two awaits, in its own task or in one that it began."""

    def __init__(self, what: str, around: Around = nullcontext) -> None:
        """`around` is entered for each step: state of the thread, which calls that take turns have in common."""
        self.what, self.around = what, around
        self.seconds: float | None = None
        """How long it may take."""
        self.busy = 0.0


_timed: ContextVar[Timed | None] = ContextVar("timed", default=None)


def context_of(call: Timed) -> Context:
    """The context for a task of this call, and for those that it begins."""
    context = copy_context()
    context.run(_timed.set, call)
    return context


class StepClock:
    """Adds up the time of the steps on one loop; read from other threads, written by that of the loop."""

    def __init__(self) -> None:
        self._busy = 0.0
        self._pid = 0
        self._step: tuple[Timed | None, float] | None = None

    def create_task(self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> "asyncio.Task[Any]":
        """A task whose steps are timed; the task factory of the loop."""
        context = options.get("context")
        call = context.get(_timed) if context is not None else _timed.get()
        return asyncio.Task(_TimedCoroutine(work, self, call), loop=loop, **options)

    @property
    def busy(self) -> float:
        """The seconds of all steps, with the one that runs now."""
        step = self._step
        return self._busy + (time.monotonic() - step[1] if step else 0.0)

    def busy_with(self, call: Timed) -> float:
        """The seconds of the steps of one call."""
        step = self._step
        return call.busy + (time.monotonic() - step[1] if step and step[0] is call else 0.0)

    @property
    def step(self) -> tuple[Timed | None, float]:
        """Whose step runs now, and for how many seconds."""
        step = self._step
        return (step[0], time.monotonic() - step[1]) if step else (None, 0.0)

    def begin(self, call: Timed | None) -> None:
        """A step of this call runs from now on."""
        self._pid = os.getpid()
        self._step = (call, time.monotonic())

    def end(self, call: Timed | None) -> None:
        """The step is over; a process that it forked ends here, as the loop is not its own."""
        assert self._step is not None
        if os.getpid() != self._pid:
            os._exit(0)
        seconds = time.monotonic() - self._step[1]
        self._busy += seconds
        if call is not None:
            call.busy += seconds
        self._step = None


class _TimedCoroutine(Coroutine[Any, Any, Any]):
    """A coroutine that a clock times; an exit in it is an ordinary error, which does not end the loop."""

    def __init__(self, work: Any, clock: StepClock, call: Timed | None) -> None:
        self._work, self._clock, self._call = work, clock, call

    def send(self, value: Any) -> Any:
        """Run up to the next await."""
        return self._step(self._work.send, value)

    def throw(self, *error: Any) -> Any:
        """As `send`, from an error: that of what was awaited, or a cancellation."""
        return self._step(self._work.throw, *error)

    def _step(self, step: Callable[..., Any], *args: Any) -> Any:
        self._clock.begin(self._call)
        try:
            with self._call.around() if self._call else nullcontext():
                return step(*args)
        except (SystemExit, KeyboardInterrupt) as exc:
            raise as_exception(exc) from exc
        finally:
            self._clock.end(self._call)

    def close(self) -> None:
        """Let go of it."""
        self._work.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._work.__await__()  # type: ignore[no-any-return]  # the coroutine's own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)  # what libraries look at, such as `cr_running`
