"""Requests that wait for the model are answered together, in one thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext

from grpo_env_sdk.ext import ThreadPool
from grpo_env_trl.inference.sampling import Answer

Waiting = tuple[Answer, "asyncio.Future[None]", "asyncio.Future[None]"]
"""An answer, when its batch starts, and when it is written."""
WriteAll = Callable[[Sequence[Answer]], None]
"""Fills in the tokens of all these answers."""
_PAUSE = 0.002
"""The model starts after this many seconds without a new request."""


class Batcher:
    """Answers all waiting requests in one call, as soon as the model is free."""

    def __init__(self, write: WriteAll, size: int) -> None:
        self._write = write
        self._size = size
        self._waiting: list[Waiting] = []
        self._writer: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._lock_of: asyncio.AbstractEventLoop | None = None

    async def written(
        self, answer: Answer, off_the_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Wait for this answer; cancelling stops its generation. Waiting for its batch to start is off the clock."""
        loop = asyncio.get_running_loop()
        started: asyncio.Future[None] = loop.create_future()
        done: asyncio.Future[None] = loop.create_future()
        answer.abandoned = done.cancelled
        self._waiting.append((answer, started, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())
        try:
            with off_the_clock():
                await started
            await done
        finally:
            done.cancel()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """While this lasts the model writes nothing."""
        async with self._free():
            yield

    def _free(self) -> asyncio.Lock:
        """Held by whoever uses the model; one for each event loop, as several evaluations may share a model."""
        loop = asyncio.get_running_loop()
        if self._lock_of is not loop:
            self._lock, self._lock_of = asyncio.Lock(), loop
        return self._lock

    async def close(self) -> None:
        """Wait until the model is idle."""
        if self._writer is not None and not self._writer.done():
            await asyncio.wait([self._writer])

    async def _write_all(self) -> None:
        pool = ThreadPool(1)
        try:
            while self._waiting:
                await self._gather()
                async with self.alone():
                    batch = [waiting for waiting in self._waiting[: self._size] if not waiting[2].done()]
                    del self._waiting[: self._size]
                    if batch:
                        await self._write_batch(pool, batch)
        finally:
            pool.close()

    async def _write_batch(self, pool: ThreadPool, batch: list[Waiting]) -> None:
        error: Exception | None = None
        for _, started, _ in batch:
            if not started.done():  # it may be given up in this very moment
                started.set_result(None)
        try:
            await pool.call(None, "generate", self._write, [answer for answer, _, _ in batch])
        except Exception as exc:  # every waiting request gets it
            error = exc
        for _, _, done in batch:
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

    async def _gather(self) -> None:
        """Wait while new requests arrive, so that episodes in step share their calls."""
        seen = 0
        while seen < len(self._waiting) < self._size:
            seen = len(self._waiting)
            await asyncio.sleep(_PAUSE)
