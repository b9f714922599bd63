"""The result of a short training: mean rewards before, during and after it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, variance
from typing import Any

_HALF_WIDTH = 1.96
"""Standard errors from a mean to the end of its 95% interval."""


@dataclass(frozen=True, slots=True)
class MeanReward:
    """A mean reward with its standard error, and the mean reward of greedy answers if there is one."""

    mean: float
    error: float = 0.0
    greedy: float | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "MeanReward | None":
        """From the summary of an evaluation; None where too few rows were scored.

        An interval is cut at the ends of the reward range, so its wider side counts.
        """
        mean, low, high = (found[name] for name in ("mean", "low", "high"))
        if mean is None or low is None or high is None:
            return None
        return cls(mean, max(mean - low, high - mean) / _HALF_WIDTH, found.get("greedy"))

    @property
    def z_score(self) -> float:
        """The mean in standard errors."""
        return self.mean / self.error if self.error else math.copysign(math.inf, self.mean) if self.mean else 0.0


@dataclass(frozen=True, slots=True)
class LearningResult:
    """Mean rewards on the same rows before and after, and of gold; `history` has the logs of each step."""

    before: MeanReward | None
    after: MeanReward | None
    gold: MeanReward | None
    gain: MeanReward | None
    """The mean gain of a row: each row is compared with itself."""
    rows: int
    held_out: bool
    """Whether those rows were not trained on."""
    planned_steps: int
    reward_range: tuple[float, float] = (0.0, 1.0)
    history: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    @property
    def steps(self) -> int:
        """The finished steps; fewer than planned where time ran out."""
        return len(self.sampled)

    @property
    def sampled(self) -> list[float]:
        """The mean reward of each step's answers."""
        return [float(entry["reward"]) for entry in self.history if "reward" in entry]

    @property
    def zero_spread_share(self) -> float:
        """The share of groups, over all steps, whose answers all had the same reward."""
        shares = [float(entry["frac_reward_zero_std"]) for entry in self.history if "frac_reward_zero_std" in entry]
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
