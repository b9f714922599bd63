"""Rewards that return several named values at once: their parts, with weights that are declared beforehand."""

import math
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

from grpo_env_sdk.errors import ContractError, ScoreError, did_you_mean
from grpo_env_sdk.rewards.score_rule import RewardPart


def check_parts(name: str, parts: Any) -> None:
    """Raise for what is no mapping of names to weights."""
    if not isinstance(parts, Mapping) or not parts or not all(map(_is_weighted, *zip(*parts.items(), strict=True))):
        raise ContractError(
            f"The parts of {name!r} are {parts!r:.80}.", 'Give names with weights: parts={"format": 0.2, "right": 1.0}.'
        )


def parts_of(reward: Any) -> tuple[RewardPart, ...]:
    """The parts of a score that a reward makes: itself, or one for each of its named values."""
    weights: Mapping[str, float] | None = getattr(reward, "parts", None)
    if weights is None:
        return (reward.part,)
    return tuple(RewardPart(name, float(reward.weight * weight), reward.range) for name, weight in weights.items())


def named_values(reward: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """What a reward returned, by the name of each part; None abstains with all of them."""
    parts: Mapping[str, float] | None = getattr(reward, "parts", None)
    if parts is None or value is None:
        yield from ((part.name, value) for part in parts_of(reward))
        return
    if not isinstance(value, Mapping):
        raise ScoreError(
            f"The reward {reward.name!r} returned {value!r:.100} ({type(value).__name__}), not a dict of its parts.",
            f"Return a value, or None, for each of {', '.join(parts)}.",
        )
    if unknown := [name for name in value if name not in parts]:
        hint = did_you_mean(str(unknown[0]), parts) or f"Its parts are {', '.join(parts)}."
        raise ScoreError(f"The reward {reward.name!r} returned {unknown[0]!r}, which is not one of its parts.", hint)
    if missing := [name for name in parts if name not in value]:
        hint = "Return every part; None leaves one out."
        raise ScoreError(f"The reward {reward.name!r} returned no value for {', '.join(missing)}.", hint)
    yield from ((name, value[name]) for name in parts)


def _is_weighted(name: Any, weight: Any) -> bool:
    number = isinstance(weight, Real) and not isinstance(weight, bool) and math.isfinite(weight)
    return isinstance(name, str) and bool(name) and number
