"""The event loop of environment code: in a thread of its own, so that code that does not await freezes no deadline."""

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from contextlib import nullcontext, suppress
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError, EnvironmentFailedError, ProcessStuckError
from grpo_env_sdk.isolation.calls.async_calls import awaited, awaiting_with, discard
from grpo_env_sdk.isolation.calls.command_process import begin_call, end_call
from grpo_env_sdk.isolation.calls.tracebacks import innermost, is_author
from grpo_env_sdk.isolation.loops import step_clock
from grpo_env_sdk.isolation.loops.daemon_executor import DaemonExecutor
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_sdk.isolation.loops.step_clock import Around, StepClock, Timed, context_of
from grpo_env_sdk.isolation.processes.env_pool import PROCESSES

T = TypeVar("T")
CANCEL_SECONDS = 1.0
"""How long a cancelled call may take to clean up."""
_LOOK_AGAIN = 1.0
"""How often a call that waits looks whether the loop is blocked for good."""
_UNLIMITED = 60.0
"""What counts as the time of calls without a limit where others wait for them."""
_STEPS = step_clock.__file__
_ALL_SHARE_IT = "All episodes share its event loop: let code cancel what it began itself, and never close the loop."


class CallEndedError(EnvironmentFailedError):
    """Other code of the environment has cancelled a call, or closed the event loop that it was awaited on."""


class RunOverError(EnvironmentFailedError):
    """The run has let go of its event loop while a call was still awaited there."""


class EnvLoop:
    """One event loop, on which all async code of a run is awaited; its thread starts with the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: LoopThread | None = None
        self.clock = StepClock()

    def start(self, what: str, work: Awaitable[Any], around: Around = nullcontext) -> "LoopCall":
        """Begin to await on the loop; `around` is entered for each step from one await to the next."""
        with self._lock:
            if self._thread is None or not self._thread.runs:
                self.clock = clock = StepClock()
                self._thread = LoopThread()
                self._thread.loop.set_task_factory(clock.create_task)
                self._thread.loop.set_default_executor(DaemonExecutor())
            return LoopCall(self._thread, self.clock, what, work, around)

    def run(self, seconds: float | None, what: str, work: Awaitable[Any]) -> Any:
        """What an awaitable gives in time, for a caller in a thread; else it is cancelled."""
        return self.start(what, work).result(seconds)

    def calling(self, seconds: float | None, what: str, function: Callable[..., T], *args: Any) -> T:
        """What a plain function returns; what `run_coroutine` awaits within it is awaited on this loop too."""
        return awaiting_with(lambda work: self.run(seconds, what, work), function, *args)

    def close(self) -> None:
        """Cancel what still runs, and let the thread end; the next call starts another."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()
            if threading.get_ident() != thread.ident:
                thread.join(CANCEL_SECONDS)


class LoopCall(Timed):
    """One awaitable of other people's code, and the task that awaits it in the thread of the loop."""

    def __init__(
        self, thread: LoopThread, clock: StepClock, what: str, work: Awaitable[Any], around: Around
    ) -> None:  # fmt: skip
        super().__init__(what, around)
        self._thread, self._clock = thread, clock
        self._work = work
        self._task: asyncio.Task[Any] | None = None
        self._began, self._busy_before = time.monotonic(), clock.busy
        self._late = ""
        self.outcome: Future[Any] = Future()
        self.outcome.set_running_or_notify_cancel()
        begin_call(self)
        self.ask(self._start)

    @property
    def ended(self) -> bool:
        """Whether none of its code runs any more."""
        return self.outcome.done() or not self._thread.runs

    async def within(self, seconds: float | None, began: float | None = None) -> Any:
        """What it gives in time, counted from when it `began`; it is cancelled if it is late, or its caller is."""
        self._began = began or self._began
        self.seconds, outcome = seconds, asyncio.wrap_future(self.outcome)
        try:
            while not self.ended and (patience := self._patience()) > 0:
                await asyncio.wait({outcome}, timeout=patience)
        finally:
            try:
                if not self.ended:
                    self.cancel()
                    await asyncio.wait({outcome}, timeout=CANCEL_SECONDS)
            finally:  # also where the caller is cancelled once more
                outcome.cancel()  # nobody waits for it any more
                self._discard_if_lost()
        return self._given()

    def result(self, seconds: float | None) -> Any:
        """As `within`, for a caller in a thread."""
        self.seconds = seconds
        try:
            while not self.ended and (patience := self._patience()) > 0:
                wait([self.outcome], patience)
        finally:
            if not self.ended:
                self.cancel()
                wait([self.outcome], CANCEL_SECONDS)
            self._discard_if_lost()
        return self._given()

    def cancel(self) -> None:
        """Cancel its task, which may clean up."""
        blocks = self._clock.step[0] is self
        self._late = f": it blocks the event loop{self._place()}, where it should await." if blocks else "."
        self.ask(lambda: self._task and self._task.cancel())

    def ask(self, function: Callable[[], Any]) -> None:
        """Call a function in the thread of the loop, such as one that tells it to go on."""
        with suppress(RuntimeError):  # the loop is closed
            self._thread.loop.call_soon_threadsafe(function)

    def _given(self) -> Any:
        if self._late:
            end_call(self, self.what)
            raise DeadlineError(f"{self.what} did not come back within {self.seconds:g} s{self._late}")
        if not self.outcome.done():
            end_call(self, self.what)
            raise self._ended_by_others("lost with its event loop, which code of the environment closed")
        return self.outcome.result()

    def _discard_if_lost(self) -> None:
        if self._task is None and not self._thread.runs:
            discard(self._work)

    def _patience(self) -> float:
        """How long to wait before looking again, and 0 once its time is up, of which that of other calls is no part."""
        if self.seconds is None:
            return _LOOK_AGAIN
        self._check_blocked()
        of_others = self._clock.busy - self._busy_before - self._clock.busy_with(self)
        left = self._began + self.seconds + of_others - time.monotonic()
        return min(max(left, 0.0), _LOOK_AGAIN)

    def _check_blocked(self) -> None:
        """Raise if another call has not let go of the loop for twice its time."""
        whose, seconds = self._clock.step
        limit = (whose and whose.seconds) or _UNLIMITED
        if whose is not self and seconds > 2 * limit:
            raise ProcessStuckError(
                f"{whose.what if whose else 'A task'} has blocked the event loop of all async code for "
                f"{seconds:.3g} s{self._place()}.",
                f"Await there, move it to a thread (await asyncio.to_thread), or write a plain def. {PROCESSES}",
            )

    def _place(self) -> str:
        """` (hotel.py:31)` for the author's line that the loop is at."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        stack = traceback.extract_stack(frame) if frame else []
        below = max((at for at, entry in enumerate(stack) if entry.filename == _STEPS), default=-1)
        place = innermost([entry for entry in stack[below + 1 :] if is_author(entry.filename)])
        return place and f" ({place})"

    def _start(self) -> None:
        self._task = self._thread.loop.create_task(awaited(self._work), context=context_of(self))
        self._task.add_done_callback(self._settle)

    def _settle(self, task: "asyncio.Task[Any]") -> None:
        end_call(self, self.what)
        discard(self._work)  # one that was cancelled before its first step
        if task.cancelled():
            cancelled = self._ended_by_others("cancelled by code of the environment")
            self.outcome.set_exception(asyncio.CancelledError() if self._late else cancelled)
        elif (error := task.exception()) is not None:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(task.result())

    def _ended_by_others(self, how: str) -> EnvironmentFailedError:
        if self._thread.ends:
            return RunOverError(f"{self.what} was cut off, as the run was over.")
        return CallEndedError(f"{self.what} was {how}.", _ALL_SHARE_IT)
