"""A number that is known about: the most likely value, with the range that it may be in."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its range; both ends are the value itself where nothing is known to vary."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """The median, which one interruption does not move, and the range that was seen."""
        return cls(median(values), min(values), max(values))

    @classmethod
    def exactly(cls, value: float) -> "Estimate":
        """A value without a range."""
        return cls(value, value, value)

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, factor: float) -> "Estimate":
        return Estimate(self.value * factor, self.low * factor, self.high * factor)

    def slower(self, other: "Estimate") -> "Estimate":
        """The larger of two at each point of the range."""
        return Estimate(max(self.value, other.value), max(self.low, other.low), max(self.high, other.high))

    def up_to(self, factor: float) -> "Estimate":
        """The same, with a range that may be so many times higher."""
        return Estimate(self.value, self.low, self.high * factor)

    def at_most(self, most: float) -> "Estimate":
        """The same, with no number above the most that there can be."""
        return Estimate(min(self.value, most), min(self.low, most), min(self.high, most))

    def as_json(self) -> dict[str, float]:
        """The three numbers by name."""
        return {"value": self.value, "low": self.low, "high": self.high}
