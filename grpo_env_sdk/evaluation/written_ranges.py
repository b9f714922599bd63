"""Ranges of rewards as JSON, which has no infinite numbers: an end without a limit is null."""

import math
from collections.abc import Sequence

from grpo_env_sdk.types import Range


def written_range(ends: Range) -> list[float | None]:
    """A range as a manifest has it."""
    return [end if math.isfinite(end) else None for end in ends]


def read_range(ends: Sequence[float | None] | None) -> Range:
    """The range that a manifest has; any where it has none."""
    low, high = ends or (None, None)
    return -math.inf if low is None else low, math.inf if high is None else high
