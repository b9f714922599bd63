"""An event loop in its own thread, for callers that are not async."""

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Closing(Protocol):
    """What is closed in the event loop that it was used in."""

    async def close(self) -> None:
        """Let go of what is open."""


class LoopThread:
    """Runs coroutines for a caller that waits; their sessions and locks stay usable from one call to the next."""

    def __init__(self, on_start: Callable[[], Any] = lambda: None) -> None:
        self.loop = asyncio.new_event_loop()
        self._on_start = on_start
        self._kept: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="grpo-env loop", daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int | None:
        """The number of the thread."""
        return self._thread.ident

    @property
    def runs(self) -> bool:
        """Whether its event loop can still be used: code that runs on it may have closed it."""
        return self._thread.is_alive() and not self.loop.is_closed()

    @property
    def ends(self) -> bool:
        """Whether `close` has told it to end."""
        return self._closing

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine and return at once."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the coroutine gives; an interrupt of the caller cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def keep(self, task: "asyncio.Task[T]") -> "asyncio.Task[T]":
        """Hold a task until it is over, as an event loop does not; `close` cancels it and waits for its end."""
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        return task

    def close(self, last: Closing | None = None) -> None:
        """Let the thread end, once `last` is closed; the caller may be any thread, and does not wait."""
        if last is not None:
            self.submit(last.close()).add_done_callback(lambda _: self.close())
            return
        with suppress(RuntimeError):  # other code has closed it
            self.loop.call_soon_threadsafe(self._stop)

    def join(self, seconds: float) -> None:
        """Wait for the end of the thread, at most so many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        self._on_start()
        asyncio.set_event_loop(self.loop)
        while not (self._closing or self.loop.is_closed()):  # code that runs on it may stop it, which ends nothing
            self._run_until_stopped()
        if self.loop.is_closed():
            return
        self._end([*self._kept])  # first: they cancel what they have begun, and wait until it has closed what it holds
        self._end(asyncio.all_tasks(self.loop))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def _end(self, tasks: "Collection[asyncio.Task[Any]]") -> None:
        for task in tasks:
            task.cancel()
        if tasks:
            self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    def _stop(self) -> None:
        self._closing = True
        self.loop.stop()

    def _run_until_stopped(self) -> None:
        try:
            self.loop.run_forever()
        except Exception:
            if not self.loop.is_closed():  # as code has closed it that runs on it, or another thread
                raise
        except (SystemExit, KeyboardInterrupt) as exc:  # of a callback: an event loop lets no other error through
            self.loop.call_exception_handler({"message": "A callback tried to end the event loop", "exception": exc})
