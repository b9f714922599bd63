"""Rewards for the length of a completion: a wanted range, and a soft penalty for too long ones."""

from collections.abc import Callable
from typing import Any, Literal

from grpo_env_sdk.data.messages import full_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import Episode

Unit = Literal["characters", "words", "tokens"]


def length(
    shortest: int = 0,
    longest: int | None = None,
    *,
    unit: Unit = "words",
    weight: float = 1.0,
    name: str = "length",
) -> Reward:
    """1 within the range, falling in proportion outside; abstains if the unit is tokens and their count is unknown."""
    if not 0 <= shortest <= (shortest if longest is None else longest):
        raise ConfigError(f"length has shortest={shortest}, longest={longest}.", "It needs 0 <= shortest <= longest.")
    measure = _measure(unit)

    def score(completion: Any, episode: Episode) -> float | None:
        size = measure(completion, episode)
        if size is None:
            return None
        if size < shortest:
            return size / shortest
        return 1.0 if longest is None or size <= longest else longest / size

    return Reward(score, name, weight)


def soft_overlong(
    longest: int, buffer: int, *, unit: Unit = "tokens", weight: float = -1.0, name: str = "soft_overlong"
) -> Reward:
    """0 up to `longest - buffer`, then rising linearly to 1 at `longest`; a penalty, as its weight is negative.

    Abstains if the number of tokens is unknown.
    """
    if not 0 < buffer <= longest:
        raise ConfigError(f"soft_overlong has longest={longest}, buffer={buffer}.", "It needs 0 < buffer <= longest.")
    measure = _measure(unit)

    def score(completion: Any, episode: Episode) -> float | None:
        size = measure(completion, episode)
        return None if size is None else max(0.0, min(1.0, (size - longest + buffer) / buffer))

    return Reward(score, name, weight)


def _measure(unit: Unit) -> Callable[[Any, Episode], int | None]:
    measures: dict[str, Callable[[Any, Episode], int | None]] = {
        "characters": lambda completion, episode: len(full_text(completion)),
        "words": lambda completion, episode: len(full_text(completion).split()),
        "tokens": lambda completion, episode: episode.usage.get("completion_tokens"),
    }
    if unit not in measures:
        raise ConfigError(f"No unit named {unit!r}.", f"Use one of {', '.join(measures)}.")
    return measures[unit]
