"""Daemon threads for environment code, so that a call that hangs blocks nothing else."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from grpo_env_sdk.errors import DeadlineError, GrpoEnvError
from grpo_env_sdk.isolation.deadline import as_exception


class TooManyLeftBehindError(GrpoEnvError, RuntimeError):
    """More calls than allowed never returned; going on would only pile up threads."""


class ThreadPool:
    """Runs calls in threads under deadlines; `left_behind` counts the threads of calls that ran out of time."""

    def __init__(self, size: int = 32, max_left_behind: int = 32) -> None:
        self.left_behind = 0
        self.max_left_behind = max_left_behind
        self._free = asyncio.Semaphore(size)
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._idle = 0

    async def call(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        """What the function returns or raises; the deadline counts from when it has a thread."""
        async with self._free:
            loop = asyncio.get_running_loop()
            outcome: asyncio.Future[Any] = loop.create_future()
            if self._idle == 0:
                threading.Thread(target=self._work, name="grpo-env pool", daemon=True).start()
            else:
                self._idle -= 1
            self._queue.put((loop, outcome, function, args))
            try:
                async with asyncio.timeout(seconds):
                    return await outcome
            except TimeoutError as exc:
                if not outcome.cancelled():
                    return outcome.result()  # it ended just in time, or raised a TimeoutError itself
                self._leave_behind(what)
                raise DeadlineError(f"{what} did not come back within {seconds:g} s.") from exc
            except asyncio.CancelledError:
                self.left_behind += outcome.cancelled()
                raise

    def close(self) -> None:
        """Let the idle threads end."""
        for _ in range(self._idle):
            self._queue.put(None)
        self._idle = 0

    def _leave_behind(self, what: str) -> None:
        self.left_behind += 1
        if self.left_behind > self.max_left_behind:
            raise TooManyLeftBehindError(
                f"{self.left_behind} calls never came back, the last one in {what}.",
                "Fix the code that hangs, or give calls more time (--limit-call).",
            )

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            loop, outcome, function, args = job
            try:
                result, error = function(*args), None
            except BaseException as exc:  # SystemExit too: environment code must not end our process
                result, error = None, exc
            try:
                loop.call_soon_threadsafe(self._settle, outcome, result, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return
            job = outcome = function = args = result = error = None  # keep no reference to an episode after its call

    def _settle(self, outcome: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
        self._idle += 1  # also a thread that returns late can be used again
        if outcome.cancelled():
            self.left_behind -= 1
            return
        if error is None:
            outcome.set_result(result)
        else:
            outcome.set_exception(as_exception(error))
