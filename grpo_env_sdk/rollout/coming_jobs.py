"""The jobs of a driver: all there from the start, or to be waited for, as from a queue."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Sequence
from typing import Any

from grpo_env_sdk.data.rows import check_among
from grpo_env_sdk.rollout.host import Job

Jobs = Iterable[Job] | AsyncIterable[Job]
"""What to play, in this order; an async iterable may give a job only once it is known."""


class ComingJobs:
    """Gives one job after the other, and waits for none; raises where one is of another row than these."""

    def __init__(self, jobs: Jobs, indices: Sequence[int], when_there: Callable[["asyncio.Future[Any]"], None]) -> None:
        """`when_there` is called once a job that was `coming` is there."""
        self._indices: Collection[int] = indices if isinstance(indices, range) else frozenset(indices)
        if isinstance(jobs, Collection):
            check_among((job.row_index for job in jobs), self._indices)
        self._when_there = when_there
        self._later = aiter(jobs) if isinstance(jobs, AsyncIterable) else None
        self._now = iter(()) if isinstance(jobs, AsyncIterable) else iter(jobs)
        self.coming: list[asyncio.Task[Job | None]] = []
        """What to wait for before there is a next job: one at most."""

    def next(self) -> Job | None:
        """The next job; None where it is still `coming`, or where there is none."""
        job = self._next()
        check_among([] if job is None else [job.row_index], self._indices)
        return job

    def _next(self) -> Job | None:
        if self._later is None:
            return next(self._now, None)
        if not self.coming:
            self.coming = [asyncio.create_task(_after(self._later))]
            self.coming[0].add_done_callback(self._when_there)
        if not self.coming[0].done():
            return None
        job = self.coming.pop().result()
        if job is None:
            self._later = None
        return job

    async def close(self) -> None:
        """Wait for no job any more, and close a generator of jobs."""
        for task in self.coming:
            task.cancel()
        await asyncio.gather(*self.coming, return_exceptions=True)  # nobody else asks how it ended
        if (aclose := getattr(self._later, "aclose", None)) is not None:
            await aclose()


async def _after(jobs: AsyncIterator[Job]) -> Job | None:
    return await anext(jobs, None)
