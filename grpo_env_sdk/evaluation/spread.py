"""How much the rewards within a group differ, reckoned from many samples of one row."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev

NEARLY = 1e-6


def without_spread(rewards: Sequence[float], size: int) -> float:
    """The probability that all members of a group of some size, drawn from these rewards, are worth the same."""
    return sum((count / len(rewards)) ** size for count in Counter(_alike(rewards)).values())


def share_without(rows: Sequence[Sequence[float]], size: int) -> float:
    """The share of groups without spread, over rows."""
    return fmean(without_spread(rewards, size) for rewards in rows)


def mean_spread(rows: Sequence[Sequence[float]]) -> float:
    """The standard deviation of rewards within a row, the mean over rows."""
    return fmean(pstdev(rewards) for rewards in rows)


def _alike(rewards: Sequence[float]) -> list[int]:
    return [round(reward / NEARLY) for reward in rewards]
