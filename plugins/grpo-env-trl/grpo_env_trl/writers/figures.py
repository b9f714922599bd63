"""What a writer did for one batch, in figures: which of model, environments and other processes was slow."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Figures:
    """Sums over one batch, of this process."""

    busy: float = 0.0
    """Seconds in which the sampler worked."""
    ranks: float = 0.0
    """Seconds in which this process waited for others."""
    wall: float = 0.0
    """Seconds from the first episode's beginning to the last one's end."""
    steps: int = 0
    """How many times every running request got a token."""
    rows: int = 0
    """Requests that ran, summed over the steps."""
    waited: float = 0.0
    """Seconds in which turns were sampled, summed over the turns, where the steps of the sampler are not known."""
    aborted: int = 0
    """Requests that were given up: the episode ended, or ran out of time."""
    read: int = 0
    """Tokens of all contexts, where the sampler says how many of them it had in its cache."""
    cached: int = 0

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the seconds that this lasts to `busy`, `ranks` or `wall`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, name, getattr(self, name) + time.perf_counter() - started)

    def metrics(self) -> dict[str, float]:
        """The metrics by name; `docs/metrics.md` explains each."""
        found = {"time/ranks": self.ranks, "sampler/aborted": float(self.aborted)}
        if self.wall:
            found["time/sampler_busy"] = self.busy / self.wall
        if self.steps:
            found["sampler/rows"] = self.rows / self.steps
        elif self.busy and self.waited:
            found["sampler/rows"] = self.waited / self.busy
        if self.read:
            found["sampler/cached"] = self.cached / self.read
        return found
