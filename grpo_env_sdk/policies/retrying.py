"""When to try a request again: how long to wait, how often in a whole run, and how many at once."""

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime

RETRIED = frozenset({408, 409, 429, *range(500, 600)})
MOST_SECONDS = 60.0


class RetryBudget:
    """How many retries a whole run may still take: a few to begin with, and more with every success."""

    def __init__(self, first: float = 100.0, per_success: float = 0.5) -> None:
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


def wait_seconds(attempt: int, retry_after: str | None, rng: random.Random) -> float:
    """What the server asked for, or a random part of a wait that doubles with each attempt."""
    asked = _asked_for(retry_after)
    if asked is not None:
        return min(MOST_SECONDS, asked + rng.uniform(0, 0.1 + asked / 10))
    return rng.uniform(0, min(MOST_SECONDS, 0.5 * 2**attempt))


def _asked_for(retry_after: str | None) -> float | None:
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


class AdaptiveGate:
    """Lets so many through at once: half as many after a 429, one more for every round of successes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._shrunk_at = 0.0

    @contextlib.asynccontextmanager
    async def through(self) -> AsyncIterator[None]:
        """Wait for a place, and give it back."""
        while self._inside >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            finally:
                if place in self._waiting:
                    self._waiting.remove(place)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self._wake()

    def succeeded(self) -> None:
        """Grow slowly, up to where it began."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._wake()

    def refused(self) -> None:
        """Shrink, once for all requests that were in the air together."""
        now = time.monotonic()
        if now - self._shrunk_at > 1.0:
            self._shrunk_at = now
            self.limit = max(1.0, self.limit / 2)

    def _wake(self) -> None:
        free = int(self.limit) - self._inside
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
