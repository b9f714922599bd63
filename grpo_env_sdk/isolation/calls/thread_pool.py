"""Daemon threads for environment code, so that a call that hangs blocks nothing else."""

import asyncio
import contextlib
import inspect
import os
import threading
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import closing
from queue import SimpleQueue
from typing import Any

from grpo_env_sdk.errors import DeadlineError, GrpoEnvWarning, ProcessStuckError
from grpo_env_sdk.isolation.calls.async_calls import awaited_within, discard
from grpo_env_sdk.isolation.calls.command_process import EnvCall, leave_call_behind
from grpo_env_sdk.isolation.calls.deadline import as_exception
from grpo_env_sdk.isolation.calls.gate import Gate
from grpo_env_sdk.isolation.calls.process_lock import process_lock
from grpo_env_sdk.isolation.processes.env_pool import PROCESSES

MOST_THREADS = 256
"""The most calls of plain code at once, however many episodes there are; async code has no such limit."""
MAX_LEFT_BEHIND = 1000
"""After so many calls that never come back a run ends; a thread that waits costs 16 KiB."""
_WARNED_FROM = 32


class _Job:
    """A call, the thread that does it, and the deadline of both."""

    def __init__(
        self, returning: "_Returning", seconds: float | None, what: str, function: Callable[..., Any],
        args: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.what, self.function, self.args, self.seconds = what, function, args, seconds
        self.returning = returning
        self.loop = returning.loop
        self.outcome: asyncio.Future[Any] = self.loop.create_future()
        self.thread: int | None = None
        self.returned = self.expired = False
        self.started = self.loop.time()

    def check_time(self) -> None:
        """Cancel the outcome if the time is up; what the thread waited for the state of the process is not its own."""
        left = self.started + (self.seconds or 0.0) + process_lock.waited_by(self.thread) - self.loop.time()
        if left > 0:
            self.loop.call_later(left, self.check_time)
        elif not self.returned:
            process_lock.leave_behind(self.thread, self.what)
            leave_call_behind(self.thread)
            self.expired = not self.outcome.done()
            self.outcome.cancel()


class _Returning:
    """What calls gave, on its way to their event loop, which is woken once for all that is there."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settle: Callable[..., None]) -> None:
        self.loop, self._settle = loop, settle
        self._given: deque[tuple[Any, ...]] = deque()
        self._woken = False

    def put(self, outcome: "asyncio.Future[Any]", result: Any, error: Exception | None) -> None:
        """Hand over what a call gave, from any thread."""
        self._given.append((outcome, result, error))
        if not self._woken:
            self._woken = True
            with contextlib.suppress(RuntimeError):  # the loop was closed in this moment
                self.loop.call_soon_threadsafe(self._take)
        self.drop_if_closed()

    def drop_if_closed(self) -> None:
        """Let go of what calls gave where the loop was closed, so that nobody takes it."""
        with contextlib.suppress(IndexError):  # as several threads may do so at once
            while self.loop.is_closed():
                discard(self._given.popleft()[1])

    def _take(self) -> None:
        self._woken = False  # before it looks, so that what comes after its last look wakes the loop again
        while self._given:
            self.loop.call_soon(self._settle, *self._given.popleft())  # one that fails costs no other


class _Deadline:
    """One timer for all calls that have the same time, as they are late in the order in which they began."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float | None) -> None:
        self._loop, self._seconds = loop, seconds
        self._running: dict[_Job, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, job: _Job) -> None:
        """Look at a call once its time is up, unless it is back by then."""
        if self._seconds is None:
            return
        self._running[job] = None
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._look, self._seconds)

    def forget(self, job: _Job) -> None:
        """The call is back; the timer stays for those that follow."""
        self._running.pop(job, None)

    def close(self) -> None:
        """Stop the timer where it has nobody to look at."""
        if self._timer is not None and not self._running:
            self._timer.cancel()
            self._timer = None

    def _look(self, seconds: float) -> None:
        self._timer = None
        while self._running:
            job = next(iter(self._running))
            if (due := job.started + seconds) > self._loop.time():
                self._timer = self._loop.call_at(due, self._look, seconds)
                return
            del self._running[job]
            job.check_time()


async def called_within(seconds: float | None, what: str, function: Callable[[], Any]) -> Any:
    """What a function gives in time: a plain one has a thread of its own, and an async one is awaited right here."""
    if inspect.iscoroutinefunction(function):
        return await awaited_within(seconds, what, function())
    with closing(ThreadPool(1)) as pool:
        value = await pool.call(seconds, what, function)
    return await awaited_within(seconds, what, value) if inspect.isawaitable(value) else value


class ThreadPool:
    """Runs calls in threads under deadlines; `left_behind` counts the threads of calls that ran out of time."""

    def __init__(self, size: int = 32, max_left_behind: int = MAX_LEFT_BEHIND) -> None:
        self.left_behind = 0
        self.max_left_behind = max_left_behind
        self._free = Gate(size)
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._returning: dict[asyncio.AbstractEventLoop, _Returning] = {}
        self._deadlines: dict[tuple[asyncio.AbstractEventLoop, float | None], _Deadline] = {}
        self._idle: deque[None] = deque()
        """One for each thread that waits for a call; threads add themselves, so that a short call needs no new one."""
        self._warned = False

    async def call(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        """What the function returns or raises; the deadline counts from when it has a thread."""
        async with self._free:
            job = _Job(self._returning_here(), seconds, what, function, args)
            deadline = self._deadline_of(job)
            deadline.watch(job)
            if self._idle:
                self._idle.pop()
            else:
                threading.Thread(target=self._work, name="grpo-env pool", daemon=True).start()
            self._queue.put(job)
            try:
                result = await job.outcome
            except asyncio.CancelledError:  # where the caller gave up, the timer goes on
                self.left_behind += job.outcome.cancelled()
                if job.outcome.done() and not job.outcome.cancelled() and job.outcome.exception() is None:
                    discard(job.outcome.result())  # both at once
                task = asyncio.current_task()
                if not job.expired or (task and task.cancelling()):  # or both at once
                    raise
                self._check_left_behind(what)
                raise DeadlineError(f"{what} did not come back within {seconds:g} s.") from None
            except BaseException:
                deadline.forget(job)
                raise
            deadline.forget(job)
            return result

    def close(self) -> None:
        """Let the idle threads end."""
        while self._idle:
            self._idle.pop()
            self._queue.put(None)
        for deadline in self._deadlines.values():
            deadline.close()
        for returning in self._returning.values():
            returning.drop_if_closed()

    def _returning_here(self) -> _Returning:
        loop = asyncio.get_running_loop()
        if loop not in self._returning:
            self._returning[loop] = _Returning(loop, self._settle)
        return self._returning[loop]

    def _deadline_of(self, job: _Job) -> _Deadline:
        key = (job.loop, job.seconds)
        if key not in self._deadlines:
            self._deadlines[key] = _Deadline(*key)
        return self._deadlines[key]

    def _check_left_behind(self, what: str) -> None:
        if self.left_behind == _WARNED_FROM and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.left_behind} calls never came back, the last one in {what}; their threads stay until the end. "
                '--env-pool process, in Python EnvPool("process"), ends such calls.', GrpoEnvWarning, stacklevel=2,
            )  # fmt: skip
        if self.left_behind > self.max_left_behind:
            raise ProcessStuckError(
                f"{self.left_behind} calls never came back, the last one in {what}.",
                f"Fix the code that hangs, or give calls more time (--limit-call). {PROCESSES}",
            )

    def _work(self) -> None:
        pid = os.getpid()
        while (job := self._queue.get()) is not None:
            job.thread = threading.get_ident()
            process_lock.begin_call()
            with EnvCall(job.what, job.seconds):
                try:
                    result, error = job.function(*job.args), None
                except BaseException as exc:  # SystemExit too: environment code must not end our process
                    result, error = None, as_exception(exc)
            if os.getpid() != pid:  # the call has forked: the loop belongs to the process that it came from
                os._exit(0)
            job.returned = True
            if job.loop.is_closed():  # nobody waits any more
                discard(result)
                return
            self._idle.append(None)  # also a thread that returns late can be used again
            job.returning.put(job.outcome, result, error)
            job = result = error = None  # keep no reference to an episode after its call

    def _settle(self, outcome: "asyncio.Future[Any]", result: Any, error: Exception | None) -> None:
        if outcome.cancelled():
            self.left_behind -= 1
            discard(result)
        elif error is None:
            outcome.set_result(result)
        else:
            outcome.set_exception(error)
