"""Several rewards as one score: their weighted sum over the sum of the positive weights."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

from grpo_env_sdk.errors import ContractError, ScoreError
from grpo_env_sdk.isolation.calls.async_calls import all_called
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rewards.named_parts import named_values, parts_of
from grpo_env_sdk.rewards.reward import as_reward, bound_rewards
from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
from grpo_env_sdk.types import Range, Score


class Rubric:
    """The rewards of one environment instance, and the score that they add up to."""

    def __init__(self, rewards: Sequence[Any], owner: str = "the environment") -> None:
        self.rewards = [as_reward(item) for item in rewards]
        self.parts: tuple[RewardPart, ...] = tuple(part for item in self.rewards for part in parts_of(item))
        """Its rewards as parts of a score rule."""
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ContractError(f"{owner} has two rewards named {twice[0]!r}.", "Rename one: @reward(name=...).")

    @classmethod
    def of(cls, env: Any) -> "Rubric":
        """The `@reward` methods of an instance, then what its `rewards` lists."""
        listed = getattr(env, "rewards", None) or ()
        if not isinstance(listed, list | tuple):
            raise ContractError(f"{name_of(env)}.rewards must be a list, got {listed!r:.80}.", "Write rewards = [...].")
        try:
            return cls([*bound_rewards(env), *listed], name_of(env))
        except ContractError as exc:
            raise ContractError(f"{name_of(env)}.rewards: {exc.message}", exc.hint) from None

    def __len__(self) -> int:
        return len(self.rewards)

    @property
    def range(self) -> Range:
        """The lowest and the highest value of the weighted sum."""
        return ScoreRule(self.parts).range

    def check(self, columns: Iterable[str]) -> None:
        """Raise if a reward asks for something that is neither a column nor a reserved name."""
        names = list(columns)
        for item in self.rewards:
            item.check(names)

    def call(self, offered: Mapping[str, Any]) -> list[Any]:
        """Each reward's raw value, or an awaitable of it, in order."""
        return all_called(self.calls(offered))

    def calls(self, offered: Mapping[str, Any]) -> list[Callable[[], Any]]:
        """The call of each reward, in order."""
        return [partial(item.call, offered) for item in self.rewards]

    def checked(self, values: Sequence[Any]) -> list[float | None]:
        """Each value as a number or None; raises a `ScoreError` for what is neither."""
        return [
            check_score(number, f"the reward {name!r}")
            for item, value in zip(self.rewards, values, strict=True)
            for name, number in named_values(item, value)
        ]

    def combine(self, values: Sequence[Any], training: bool = False) -> Score:
        """The weighted sum over the sum of the positive weights, of those that did not abstain."""
        return ScoreRule(self.parts).score(self.checked(values), training=training)


def check_score(value: Any, whose: str) -> float | None:
    """The value as a finite float, or None if it abstains; anything else is a `ScoreError`."""
    if value is None or (type(value) is float and math.isfinite(value)):
        return value
    if type(value).__module__ in ("numpy", "torch") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if not isinstance(value, Real):
        raise ScoreError(
            f"{whose} returned {short_repr(value)} ({type(value).__name__}), which is not a score.",
            "Return a float, or None to abstain.",
        )
    try:
        number = float(value)
    except OverflowError:  # an int that is too large for a float
        number = math.inf
    if not math.isfinite(number):
        raise ScoreError(
            f"{whose} returned {short_repr(value)}, which is not a score.", "Return a finite float, or None to abstain."
        )
    return number
