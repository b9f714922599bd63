"""The result of a short training: mean rewards before, during and after it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, variance
from typing import Any

_HALF_WIDTH = 1.96
"""Standard errors from a mean to the end of its 95% interval."""
MIN_Z_SCORE = 3.0
"""A difference of fewer standard errors may be noise."""
MIN_GAIN = 0.25
"""The share of the distance to gold that a training of this length covers if it learns."""
MIN_ROOM = 0.1
"""With less of the reward range between the start and gold, no gain can be measured."""


@dataclass(frozen=True, slots=True)
class MeanReward:
    """A mean reward with its standard error."""

    mean: float
    error: float = 0.0

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "MeanReward | None":
        """From the summary of an evaluation; None where too few rows were scored.

        An interval is cut at the ends of the reward range, so its wider side counts.
        """
        mean, low, high = (found[name] for name in ("mean", "low", "high"))
        if mean is None or low is None or high is None:
            return None
        return cls(mean, max(mean - low, high - mean) / _HALF_WIDTH)

    @property
    def z_score(self) -> float:
        """The mean in standard errors."""
        return self.mean / self.error if self.error else math.copysign(math.inf, self.mean) if self.mean else 0.0


@dataclass(frozen=True, slots=True)
class LearningResult:
    """Mean rewards on the same rows before and after, and of gold; `history` has the logs of each step."""

    before: MeanReward | None
    gold: MeanReward | None
    rows: int
    held_out: bool
    """Whether those rows were not trained on."""
    after: MeanReward | None = None
    gain: MeanReward | None = None
    """The mean gain of a row: each row is compared with itself."""
    reward_range: tuple[float, float] = (0.0, 1.0)
    history: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    @property
    def span(self) -> float:
        """The width of the range of rewards; 0 if it has no end."""
        low, high = self.reward_range
        return high - low if math.isfinite(high - low) else 0.0

    @property
    def room(self) -> float:
        """How much more gold scores than the model before the training."""
        return 0.0 if self.before is None or self.gold is None else self.gold.mean - self.before.mean

    @property
    def noise(self) -> float:
        """What of the room may be noise."""
        errors = [found.error for found in (self.before, self.gold) if found is not None]
        return MIN_Z_SCORE * math.hypot(*errors)

    @property
    def has_room(self) -> bool:
        """Whether gold scores so much more that a gain can be measured; else nothing is trained."""
        return self.room > max(MIN_ROOM * self.span, self.noise)

    @property
    def share(self) -> float:
        """The share of the room that the training covered."""
        return self.gain.mean / self.room if self.gain is not None and self.has_room else 0.0

    @property
    def learned(self) -> bool:
        """Whether the gain is large, and beyond noise."""
        return self.gain is not None and self.share >= MIN_GAIN and self.gain.z_score > MIN_Z_SCORE

    @property
    def steps(self) -> int:
        """The finished steps."""
        return len(self.sampled)

    @property
    def sampled(self) -> list[float]:
        """The mean reward of each step's answers."""
        return rewards_of(self.history)

    @property
    def zero_spread_share(self) -> float:
        """The share of groups, over all steps, whose answers all had the same reward."""
        shares = zero_spread_of(self.history)
        return fmean(shares) if shares else 1.0

    @property
    def quarters(self) -> tuple[float, float]:
        """The mean reward of the answers in the first quarter of the steps, and in the last."""
        first, last = self._ends()
        return fmean(first), fmean(last)

    @property
    def rise(self) -> MeanReward:
        """How much higher the mean reward was in the last quarter of the steps than in the first."""
        first, last = self._ends()
        error = math.sqrt(sum(variance(part) / len(part) for part in (first, last))) if len(first) > 1 else math.inf
        return MeanReward(fmean(last) - fmean(first), error)

    def _ends(self) -> tuple[list[float], list[float]]:
        quarter = max(1, self.steps // 4)
        return self.sampled[:quarter], self.sampled[-quarter:]


def rewards_of(history: Sequence[Mapping[str, Any]]) -> list[float]:
    """The mean reward of each step in the logs of a training."""
    return [float(entry["reward"]) for entry in history if "reward" in entry]


def zero_spread_of(history: Sequence[Mapping[str, Any]]) -> list[float]:
    """For each step in the logs of a training, the share of groups whose answers all had the same reward."""
    return [float(entry["frac_reward_zero_std"]) for entry in history if "frac_reward_zero_std" in entry]
