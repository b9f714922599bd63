"""How the values of an episode's rewards become its score: data and arithmetic, without the author's code."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grpo_env_sdk.types import Range, Score


@dataclass(slots=True, eq=False)
class MovingWeight:
    """A factor on a weight that rises while a reward's mean is low and falls while it is high; in training only."""

    low: float = 0.3
    high: float = 0.8
    up: float = 1.2
    down: float = 0.9
    bounds: tuple[float, float] = (0.1, 10.0)
    factor: float = 1.0

    def observe(self, mean: float) -> None:
        """Move the factor by the mean of the reward over a batch."""
        step = self.up if mean < self.low else self.down if mean > self.high else 1.0
        smallest, largest = self.bounds
        self.factor = min(max(self.factor * step, smallest), largest)

    def state(self) -> dict[str, float]:
        """The state for a checkpoint; `restore` reads it."""
        return {"factor": self.factor}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from the state that `state` returned."""
        self.factor = float(state["factor"])


@dataclass(frozen=True, slots=True)
class RewardPart:
    """One named reward of a score: its weight and the range of its values."""

    name: str
    weight: float = 1.0
    range: Range = (0.0, 1.0)
    moving: MovingWeight | None = field(default=None, compare=False)

    @property
    def weight_in_training(self) -> float:
        """The weight that counts in training now."""
        return self.weight * self.moving.factor if self.moving else self.weight


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """What makes a score: the author's `score_episode`, or step rewards and weighted parts."""

    parts: tuple[RewardPart, ...] = ()
    by_method: bool = False
    """Whether `score_episode` gives the score itself; there are no parts then."""
    counts_steps: bool = False
    """Whether the rewards of the author's `step` are part of the score."""

    @property
    def range(self) -> Range:
        """The lowest and the highest value that the weighted sum can have."""
        counted = [part for part in self.parts if part.weight]  # 0 times an infinite end would be no number
        ends = [sorted((part.weight * part.range[0], part.weight * part.range[1])) for part in counted]
        whole = _divisor([part.weight for part in self.parts])
        low, high = sum(low for low, _ in ends) / whole, sum(high for _, high in ends) / whole
        return (-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)  # too large for a float

    def plain(self) -> "ScoreRule":
        """The same rule of plain numbers and names; weights that move go on moving."""
        parts = [
            RewardPart(str.__str__(part.name), float(part.weight), (float(part.range[0]), float(part.range[1])),
                       part.moving)
            for part in self.parts
        ]  # fmt: skip
        return replace(self, parts=tuple(parts))

    def score(self, values: Sequence[float | None], steps: Sequence[float] = (), training: bool = False) -> Score:
        """The score for the value of each part, or for the one value of `score_episode`; None abstains."""
        if self.by_method:
            return Score(values[0])
        score = self._weighted(values, training)
        return replace(score, value=sum(steps) + (score.value or 0.0)) if self.counts_steps else score

    def _weighted(self, values: Sequence[float | None], training: bool) -> Score:
        """The weighted sum over the sum of the positive weights, of those that did not abstain."""
        named = {part.name: value for part, value in zip(self.parts, values, strict=True)}
        counted = [
            (part.weight_in_training if training else part.weight, value)
            for part, value in zip(self.parts, values, strict=True)
            if value is not None
        ]
        if not counted:
            return Score(None, named)
        return Score(sum(weight * value for weight, value in counted) / _divisor([w for w, _ in counted]), named)


def _divisor(weights: Sequence[float]) -> float:
    """The sum of the positive weights, or 1 where there are none: penalties alone stay as they are."""
    return sum(weight for weight in weights if weight > 0) or 1.0
