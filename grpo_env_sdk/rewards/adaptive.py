"""A weight that rises while the model fails at a reward, and falls while it succeeds."""

from collections.abc import Iterable, Mapping
from typing import Any

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import as_reward
from grpo_env_sdk.rewards.score_rule import MovingWeight, RewardPart
from grpo_env_sdk.types import Range


class AdaptiveWeight:
    """A reward whose weight changes during training; outside training its first weight counts.

    ```python
    rewards = [AdaptiveWeight(exact_match(), low=0.3, high=0.8)]
    ```
    """

    def __init__(
        self, reward: Any, low: float = 0.3, high: float = 0.8, up: float = 1.2, down: float = 0.9,
        bounds: tuple[float, float] = (0.1, 10.0),
    ) -> None:  # fmt: skip
        if not low < high or not 0 < down <= 1 <= up or not 0 < bounds[0] <= 1 <= bounds[1]:
            raise ConfigError(
                f"AdaptiveWeight cannot work with low={low}, high={high}, up={up}, down={down}, bounds={bounds}.",
                "It needs low < high, 0 < down <= 1 <= up, and bounds around 1.",
            )
        self.reward = as_reward(reward)
        if getattr(self.reward, "parts", None) is not None:
            raise ConfigError(f"{self.reward.name!r} has parts, so it has no one weight to move.", "Split it up.")
        self.moving = MovingWeight(low, high, up, down, bounds)

    @property
    def name(self) -> str:
        """The name of the reward."""
        return str(self.reward.name)

    @property
    def function(self) -> Any:
        """The function of the reward."""
        return self.reward.function

    @property
    def range(self) -> Range:
        """The range of the reward."""
        return self.reward.range  # type: ignore[no-any-return]  # as_reward gives any of ours

    @property
    def first_weight(self) -> float:
        """The weight at the start."""
        return float(self.reward.weight)

    @property
    def weight(self) -> float:
        """The weight that counts in training now."""
        return self.part.weight_in_training

    def check(self, columns: Iterable[str]) -> None:
        """As `Reward.check`."""
        self.reward.check(columns)

    def call(self, offered: Mapping[str, Any]) -> Any:
        """As `Reward.call`."""
        return self.reward.call(offered)

    @property
    def part(self) -> RewardPart:
        """Its part of a score rule."""
        return RewardPart(self.name, self.first_weight, self.range, self.moving)

    def observe(self, mean: float) -> None:
        """Update the weight with the mean of this reward over a batch."""
        self.moving.observe(mean)

    def state(self) -> dict[str, float]:
        """The state for a checkpoint; `restore` reads it."""
        return self.moving.state()

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from the state that `state` returned."""
        self.moving.restore(state)
