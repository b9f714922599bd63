"""A share of some rows with an interval that holds for few rows too."""

import math
from dataclasses import dataclass
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some rows, with Wilson's 95% interval; `hits` may be a sum of values from 0 to 1."""

    hits: float
    of: int

    @property
    def mean(self) -> float:
        """The share itself."""
        return self.hits / self.of if self.of else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(0.0, self._end(-1)) if self.of else 0.0

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(1.0, self._end(1)) if self.of else 1.0

    def __str__(self) -> str:
        return f"{self.hits:g} of {self.of} rows (95% interval {self.low:.0%} to {self.high:.0%})"

    def _end(self, sign: int) -> float:
        half = _Z * math.sqrt(max(0.0, self.hits * (1 - self.mean)) + _Z**2 / 4)
        return (self.hits + _Z**2 / 2 + sign * half) / (self.of + _Z**2)
