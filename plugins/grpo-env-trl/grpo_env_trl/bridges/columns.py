"""The environment's rewards as TRL takes them: one column for the score, and one for each named part."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvWarning
from grpo_env_sdk.ext import ScoreRule

Finder = Callable[[Mapping[str, Any]], list[Episode]]
"""Finds the records of a batch from the arguments that TRL gives to a reward function."""
SCORE = "score"
STEPS = "step_rewards"
LARGEST = 1e18
"""TRL computes in float32, where the variance of larger rewards is infinite, and all advantages are then 0."""


def reward_columns(
    rule: ScoreRule, normalized_apart: bool, find: Finder, metrics: Callable[[], dict[str, float]]
) -> tuple[list[Callable[..., Any]], list[float]]:
    """Reward functions and their weights: the score alone counts, or its parts where each is normalised by itself."""
    apart = normalized_apart and bool(rule.parts)
    functions = [score_column(find, metrics)]
    weights = [0.0 if apart else 1.0]
    whole = sum(part.weight for part in rule.parts if part.weight > 0) or 1.0
    for part in rule.parts:
        functions.append(_column(_free(part.name), find, lambda episode, name=part.name: episode.rewards.get(name)))
        weights.append(part.weight / whole if apart else 0.0)
    if rule.parts and rule.counts_steps:
        functions.append(_column(STEPS, find, lambda episode: sum(episode.step_rewards)))
        weights.append(1.0 if apart else 0.0)
    return functions, weights


def score_column(find: Finder, metrics: Callable[[], dict[str, float]]) -> Callable[..., Any]:
    """The column of the whole score, which also logs the metrics of its batch."""
    scores = _column(SCORE, find, lambda episode: episode.reward)

    def score(**given: Any) -> list[float | None]:
        values: list[float | None] = scores(**given)
        for name, value in metrics().items():
            given["log_metric"](name, value)
        return values

    return score


def _column(name: str, find: Finder, value: Callable[..., float | None]) -> Callable[..., Any]:
    warned: list[str] = []

    def column(**given: Any) -> list[float | None]:
        episodes = find(given)
        found = [value(episode) if episode.error is None else None for episode in episodes]
        return [_computable(each, name, episode, warned) for each, episode in zip(found, episodes, strict=True)]

    column.__name__ = column.__qualname__ = name
    return column


def _computable(value: float | None, name: str, episode: Episode, warned: list[str]) -> float | None:
    """The value; None where TRL could not compute with it, which is said once."""
    if value is None or abs(value) <= LARGEST:
        return value
    if not warned:
        warned.append(name)
        warnings.warn(
            f"{episode.env}: {name} of row {episode.row_index} is {value:g}, and TRL computes in float32, with at "
            f"most {LARGEST:g}: such values are left out. Scale this reward, to about 1.",
            GrpoEnvWarning,
            stacklevel=2,
        )
    return None


def _free(name: str) -> str:
    """The part's name, unless the column of the whole score has it."""
    return f"{name}_part" if name in (SCORE, STEPS) else name
