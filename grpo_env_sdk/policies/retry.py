"""When to try a request again: how long to wait, how often in a whole run, and how many at once."""

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED = frozenset({408, 409, 429, *range(500, 600)})


@dataclass(frozen=True, slots=True)
class Retries:
    """How far a request is tried again: so often, after waits that double, within a budget for all requests."""

    attempts: int = 8
    first_wait: float = 0.5
    longest_wait: float = 60.0
    budget: float | None = None
    """Retries that a run may begin with; None is enough for one whole wave of requests."""
    per_success: float = 0.5

    def budget_for(self, concurrency: int) -> "RetryBudget":
        """The budget of a run with so many requests at once."""
        wave = self.attempts * concurrency
        return RetryBudget(wave if self.budget is None else self.budget, self.per_success)

    def wait_seconds(self, attempt: int, retry_after: str | None, rng: random.Random) -> float:
        """What the server asked for and a little more, or a random part of a wait that doubles with each attempt."""
        asked = asked_seconds(retry_after)
        if asked is not None:
            return min(self.longest_wait, asked * rng.uniform(1, 1.1) + rng.uniform(0, self.first_wait))
        return rng.uniform(0, min(self.longest_wait, self.first_wait * 2**attempt))


class RetryBudget:
    """How many retries a whole run may still take: a few to begin with, and more with every success."""

    def __init__(self, first: float, per_success: float = 0.5) -> None:
        self._left = first
        self._per_success = per_success

    def succeeded(self) -> None:
        """Earn a part of a retry."""
        self._left += self._per_success

    def take(self) -> bool:
        """Whether one more retry may be had."""
        if self._left < 1:
            return False
        self._left -= 1
        return True


def asked_seconds(retry_after: str | None) -> float | None:
    """What a `Retry-After` header asks for, in seconds or as a date; None where it says nothing readable."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


class AdaptiveGate:
    """Lets so many through at once: half as many after a 429, one more for every round of successes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._shrunk = 0

    @contextlib.asynccontextmanager
    async def through(self) -> AsyncIterator[int]:
        """Wait for a place, and give it back; what it yields is for `refused`."""
        await self._enter()
        try:
            yield self._shrunk
        finally:
            self._leave()

    def succeeded(self) -> None:
        """Grow slowly, up to where it began."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._let_in()

    def refused(self, entered: int) -> None:
        """Shrink, once for all requests that were in the air together."""
        if entered == self._shrunk:
            self._shrunk += 1
            self.limit = max(1.0, self.limit / 2)

    async def _enter(self) -> None:
        if self._inside < int(self.limit):
            self._inside += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self._leave()  # it was let in at the moment in which it gave up
            raise

    def _leave(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        """Give free places to those who wait, in order; a place counts as taken from here on."""
        while self._waiting and self._inside < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)
