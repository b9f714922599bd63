"""Retries of requests: how long to wait, how many in a run, and how many requests at once."""

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from grpo_env_sdk.isolation.calls.gate import Gate

RETRIED = frozenset({408, 409, 429, *range(500, 600)})


@dataclass(frozen=True, slots=True)
class Retries:
    """Retry settings: attempts of a request, waits that double, and a budget for all requests of a run."""

    attempts: int = 8
    first_wait: float = 0.5
    longest_wait: float = 60.0
    budget: float | None = None
    """Retries at the start of a run; None is enough for one whole wave of requests."""
    per_success: float = 0.5

    def budget_for(self, concurrency: int) -> "RetryBudget":
        """The budget of a run with this number of requests at once."""
        wave = self.attempts * concurrency
        return RetryBudget(wave if self.budget is None else self.budget, self.per_success)

    def wait_seconds(self, attempt: int, retry_after: str | None, rng: random.Random) -> float:
        """Slightly more than the server asked for, or a random part of a wait that doubles with each attempt."""
        asked = asked_seconds(retry_after)
        if asked is not None:
            return min(self.longest_wait, asked * rng.uniform(1, 1.1) + rng.uniform(0, self.first_wait))
        return rng.uniform(0, min(self.longest_wait, self.first_wait * 2**attempt))


class RetryBudget:
    """The retries that a run has left: some at the start, and more with every success."""

    def __init__(self, first: float, per_success: float = 0.5) -> None:
        self._left = first
        self._per_success = per_success

    def succeeded(self) -> None:
        """Add a part of a retry."""
        self._left += self._per_success

    def take(self) -> bool:
        """Use one retry; False if none is left."""
        if self._left < 1:
            return False
        self._left -= 1
        return True


def asked_seconds(retry_after: str | None) -> float | None:
    """The seconds that a `Retry-After` header asks for, also as a date; None if it is missing or invalid."""
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


class AdaptiveGate(Gate):
    """Limits the requests at once: half as many after a 429, one more after every round of successes."""

    def __init__(self, most: int) -> None:
        super().__init__(float(most))
        self.most = most
        self.shrunk = 0
        """How often it was halved; pass what it was at the start of a request to `refused`."""

    def succeeded(self) -> None:
        """Raise the limit slowly, up to its first value."""
        if self.limit < self.most:
            self.limit = min(float(self.most), self.limit + 1 / self.limit)
            self.let_in()

    def refused(self, entered: int) -> None:
        """Halve the limit, once for all requests that were running together."""
        if entered == self.shrunk:
            self.shrunk += 1
            self.limit = max(1.0, self.limit / 2)
