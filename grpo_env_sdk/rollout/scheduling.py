"""What the episodes of one call wait for: their turn to be scored, and the moment when all of them wait."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from grpo_env_sdk.types import Episode


class Ended:
    """The tasks of episodes as they end; waiting for one costs as much beside a thousand others as beside none."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[Episode]] = []
        self._there = asyncio.Event()

    def begin(self, work: Coroutine[Any, Any, Episode]) -> "asyncio.Task[Episode]":
        """A task for an episode."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._note)
        return task

    def wake(self, _: "asyncio.Future[Any]") -> None:
        """Something else has come that was waited for."""
        self._there.set()

    async def more(self) -> "list[asyncio.Task[Episode]]":
        """Those that have ended since; none where something else has come."""
        await self._there.wait()
        self._there.clear()
        tasks, self._tasks = self._tasks, []
        return tasks

    def _note(self, task: "asyncio.Task[Episode]") -> None:
        self._tasks.append(task)
        self._there.set()


class Activity:
    """Counts the episodes that do something, and calls `when_quiet` in the event loop once none does."""

    def __init__(self, when_quiet: Callable[[], None] | None, failed: "asyncio.Future[None]") -> None:
        """What `when_quiet` raises is set as the exception of `failed`."""
        self._when_quiet = when_quiet
        self._failed = failed
        self._busy = 0

    def begin(self) -> None:
        """An episode does something from now on."""
        self._busy += 1

    def rest(self) -> None:
        """It waits, or is over."""
        self._busy -= 1
        if not self._busy and self._when_quiet is not None:
            asyncio.get_running_loop().call_soon(self._check)  # after those whose waiting is over by now

    def _check(self) -> None:
        if self._busy or self._when_quiet is None or self._failed.done():
            return
        try:
            self._when_quiet()
        except Exception as exc:
            self._failed.set_exception(exc)


class InOrder:
    """Lets episodes score one after another in the order in which they began, as a stateful scorer needs."""

    def __init__(self) -> None:
        self._began = 0
        self._current = 0
        self._left: set[int] = set()
        self._turns: dict[int, asyncio.Event] = {}

    def next_place(self) -> int:
        """The place of an episode that begins now."""
        self._began += 1
        return self._began - 1

    async def turn_of(self, place: int) -> None:
        """Wait until every episode before this one has left."""
        if place != self._current:
            await self._turns.setdefault(place, asyncio.Event()).wait()

    def leave(self, place: int) -> None:
        """This episode is over: the next one may score."""
        self._left.add(place)
        while self._current in self._left:
            self._left.discard(self._current)
            self._current += 1
            if event := self._turns.pop(self._current, None):
                event.set()
