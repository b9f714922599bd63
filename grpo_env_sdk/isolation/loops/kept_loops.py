"""Event loops with their threads, kept from one call to the next, as opening them costs more than a short episode."""

import asyncio
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from grpo_env_sdk.isolation.calls.async_calls import close_loop, run_on
from grpo_env_sdk.isolation.calls.thread_pool import MOST_THREADS, ThreadPool

T = TypeVar("T")
_Kept = tuple[asyncio.AbstractEventLoop, ThreadPool]


class KeptLoops:
    """Runs one coroutine after another as `run_loop` does, and opens an event loop only where none is free.

    There are several where a coroutine runs in the middle of another one, or in another thread.
    """

    def __init__(self) -> None:
        self._free: list[_Kept] = []
        weakref.finalize(self, _close_free, self._free)

    def run(self, work: Callable[[ThreadPool], Coroutine[Any, Any, T]]) -> T:
        """What the coroutine returns, which is made for the threads of its loop.

        A loop on which something failed, or still runs, is not used again.
        """
        kept = self._free.pop() if self._free else (asyncio.new_event_loop(), ThreadPool(MOST_THREADS))
        loop, pool = kept
        try:
            result = run_on(loop, work(pool))
        except BaseException:
            _close_used(kept)
            raise
        if asyncio.all_tasks(loop):
            _close_used(kept)
        else:
            self._free.append(kept)
        return result

    def close(self) -> None:
        """Close those that are free: what comes late finds no loop."""
        _close_free(self._free)


def _close_free(free: list[_Kept]) -> None:
    while free:
        loop, pool = free.pop()
        loop.close()  # nothing runs on it, and another loop may run here now
        pool.close()


def _close_used(kept: _Kept) -> None:
    loop, pool = kept
    close_loop(loop)
    pool.close()
