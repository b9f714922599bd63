"""The statistics of an evaluation: intervals, shares, pass@k, paired differences, spread within groups."""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, fmean, pstdev
from typing import Any

NEARLY = 1e-6
"""Rewards that differ by less are equal."""
ROUNDING = 1e-9
"""A difference of numbers that are equal but for the rounding of floats."""
_MOST_SQUARED = 1e100
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95% interval; the ends are None where there are too few values for one."""

    mean: float | None
    low: float | None = None
    high: float | None = None

    def as_json(self) -> dict[str, float | None]:
        """As the JSON output has it."""
        return asdict(self)

    def __str__(self) -> str:
        if self.mean is None:
            return "-"
        return _shown(self.mean) + (
            "" if self.low is None or self.high is None else f" [{_shown(self.low)}, {_shown(self.high)}]"
        )


def _shown(value: float) -> str:
    return f"{value:z.3f}" if abs(value) < 1e15 else f"{value:.3g}"


def mean_of(
    rows: Mapping[Any, Sequence[float]],
    bounds: tuple[float, float] | None = None,
    exact: bool = False,
    cluster_of: Mapping[Any, Any] | None = None,
) -> Mean:
    """The mean over rows of the mean of the values of each, such as its samples.

    The interval stays within `bounds`, the range of the values, unless a value itself is outside them. Where all
    rows have the same mean, its width is that of what so few may have missed within the range, and without a
    range there is none; `exact` gives it no width, where nothing is said of other rows. Rows that have the same value
    in `cluster_of` belong together and count as one for the interval; a row without one is independent.
    """
    values = [value for row in rows.values() for value in row]
    if not values:
        return Mean(None)
    if (most := max(map(abs, values))) > _MOST_SQUARED:
        return _mean_of_large(rows, bounds, exact, cluster_of, math.frexp(most)[1])
    means = {key: math.fsum(row) / len(row) for key, row in rows.items() if row}
    mean = math.fsum(means.values()) / len(means)
    sums = cluster_sums({key: value - mean for key, value in means.items()}, cluster_of or {})
    if len(sums) < 2:
        return Mean(mean)
    deviations = [value * len(sums) / len(means) for value in sums]
    least, most = range_that_holds(values, bounds)
    if max(deviations) - min(deviations) < NEARLY and not exact:
        return _mean_of_equal(mean, len(deviations), least, most)
    return _mean_of_unequal(mean, deviations, least, most)


def cluster_sums(values: Mapping[Any, float], cluster_of: Mapping[Any, Any]) -> list[float]:
    """The sum of the rows' values in each cluster; a row without a cluster is one of its own."""
    clusters: dict[Any, list[float]] = {}
    for row, value in values.items():
        clusters.setdefault(cluster_of.get(row, (row,)), []).append(value)
    return [math.fsum(cluster) for cluster in clusters.values()]


def _mean_of_unequal(mean: float, deviations: Sequence[float], least: float, most: float) -> Mean:
    """The t interval with one more value on either side of the mean, as Bonett and Price add one to pairs.

    These are as far as the furthest value seen, and further by its part of all squared deviations, within the range.
    """
    furthest, squares = max(map(abs, deviations)), math.fsum(value**2 for value in deviations)
    if squares == 0:
        return Mean(mean, mean, mean)
    unseen = furthest * (1 + furthest**2 / squares)
    added = (max(-unseen, least - mean), min(unseen, most - mean))
    count, shift = len(deviations) + 2, math.fsum(added) / (len(deviations) + 2)
    squares += math.fsum(value**2 for value in added) - count * shift**2
    half = student_t(len(deviations) - 1) * math.sqrt(squares) / count
    return Mean(mean, min(mean, max(least, mean + shift - half)), max(mean, min(most, mean + shift + half)))


def range_that_holds(values: Iterable[float], bounds: tuple[float, float] | None) -> tuple[float, float]:
    """The bounds, or any number where there are none or a value is outside them."""
    least, most = bounds or (-math.inf, math.inf)
    if all(least - ROUNDING <= value <= most + ROUNDING for value in values):
        return least, most
    return -math.inf, math.inf


def _mean_of_equal(mean: float, count: int, least: float, most: float) -> Mean:
    """The mean of so many equal values: with 97.5% no larger share of all values lies elsewhere in the range.

    At an end of the range this is the interval of Clopper and Pearson.
    """
    if math.isinf(most - least):
        return Mean(mean)
    elsewhere = 1 - 0.025 ** (1 / count)
    return Mean(mean, mean - elsewhere * max(0.0, mean - least), mean + elsewhere * max(0.0, most - mean))


def _mean_of_large(
    rows: Mapping[Any, Sequence[float]],
    bounds: tuple[float, float] | None,
    exact: bool,
    cluster_of: Mapping[Any, Any] | None,
    power: int,
) -> Mean:
    """The mean of values below 2 to this power, whose squares or sum no float holds."""
    small = {key: [math.ldexp(value, -power) for value in row] for key, row in rows.items()}
    ends = bounds and (math.ldexp(bounds[0], -power), math.ldexp(bounds[1], -power))
    mean = mean_of(small, ends, exact, cluster_of)
    return Mean(*(None if end is None else _times_two_to(end, power) for end in (mean.mean, mean.low, mean.high)))


def _times_two_to(value: float, power: int) -> float:
    try:
        return math.ldexp(value, power)
    except OverflowError:  # the end of an interval
        return math.copysign(sys.float_info.max, value)


def student_t(freedom: int) -> float:
    """The 97.5% quantile of Student's t, exact for 1 and 2 degrees of freedom, else within 0.3%."""
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z, v = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


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


def pass_at(k: int, samples: int, passes: int) -> float:
    """The unbiased estimate of the probability that at least one of `k` samples passes."""
    return 1.0 - math.comb(samples - passes, k) / math.comb(samples, k)


def pass_all(k: int, samples: int, passes: int) -> float:
    """The unbiased estimate of the probability that all of `k` samples pass."""
    return math.comb(passes, k) / math.comb(samples, k)


def least_passing(reward_range: tuple[float, float], threshold: float | None) -> float | None:
    """The least reward that is a pass: the threshold, else the highest reward; None where no reward is the highest."""
    least = reward_range[1] if threshold is None else threshold
    return None if math.isinf(least) else least - ROUNDING * max(1.0, abs(least))


def sign_test(differences: Iterable[float]) -> float | None:
    """The two-sided p-value of the sign test; differences of 0 are left out."""
    signs = [difference > 0 for difference in differences if difference != 0]
    n, fewer = len(signs), min(sum(signs), len(signs) - sum(signs))
    if n == 0:
        return None
    if n > 1000:  # the sum below would be of astronomical integers
        z = (n / 2 - fewer - 0.5) / math.sqrt(n / 4)
        return min(1.0, 2 * (1 - NormalDist().cdf(max(0.0, z))))
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(fewer + 1)) / float(2**n))


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which that share of the values lies."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def without_spread(rewards: Sequence[float], size: int) -> float:
    """The probability that a group of this size, drawn from the rewards of one row, has equal rewards only."""
    equal = Counter(round(reward / NEARLY) if abs(reward) < _MOST_SQUARED else reward for reward in rewards)
    return sum((count / len(rewards)) ** size for count in equal.values())


def share_without(rows: Sequence[Sequence[float]], size: int) -> float:
    """The expected share of groups without spread, over rows."""
    return fmean(without_spread(rewards, size) for rewards in rows)


def mean_spread(rows: Sequence[Sequence[float]]) -> float:
    """The standard deviation of rewards within a row, the mean over rows."""
    return fmean(pstdev(rewards) for rewards in rows)
