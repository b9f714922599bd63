"""The deadlines of one episode, which stand still while it waits for what is nobody's fault."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class EpisodeClock:
    """The deadline of an episode and, while its policy answers, that of the policy."""

    def __init__(self) -> None:
        self.deadlines: list[asyncio.Timeout] = []
        self.off_seconds = 0.0
        """How long it has stood still since this was set to 0."""
        self._paused: list[tuple[asyncio.Timeout, float]] = []
        self._waits = 0
        """How many waits are off the clock now."""
        self._stopped_at = 0.0

    @contextmanager
    def off(self) -> Iterator[None]:
        """While this lasts, the deadlines stand still."""
        if not self._waits:
            self._stopped_at = asyncio.get_running_loop().time()
            self._paused = [(deadline, when) for deadline in self.deadlines if (when := deadline.when()) is not None]
            for deadline, _ in self._paused:
                deadline.reschedule(None)
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                spent = asyncio.get_running_loop().time() - self._stopped_at
                self.off_seconds += spent
                for deadline, when in self._paused:
                    deadline.reschedule(when + spent)
