"""An event loop in its own thread, for callers that are not async."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for a caller that waits; their sessions and locks stay usable from one call to the next."""

    def __init__(self, on_start: Callable[[], Any] = lambda: None) -> None:
        self._loop = asyncio.new_event_loop()
        self._on_start = on_start
        threading.Thread(target=self._run, name="grpo-env loop", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the coroutine; an interrupt of the caller cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        self._on_start()
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()
