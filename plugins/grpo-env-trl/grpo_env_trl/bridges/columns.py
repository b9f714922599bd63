"""Rewards as TRL takes them: one column for the score, one for each named part, and the user's own functions."""

import copy
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvWarning, Message
from grpo_env_sdk.ext import ScoreRule, completion_of
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.outside_rewards.calling import checked, is_model, is_ready, of_episodes

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


def guarded(function: Any, name: str, find: Finder, last: Callable[[], Batch | None]) -> Any:
    """The user's own reward function, called as TRL documents; None replaces its value where an episode failed."""
    if isinstance(function, str):
        function = trl_facts.reward_model(function)
    if is_model(function):
        return _silenced(function, name, last)
    if is_ready(function):
        return checked(lambda **given: of_episodes(function, find(given)), name)
    function = checked(function, name)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waited(**given: Any) -> list[Any]:
            episodes = find(given)
            return _spared(await function(**_documented(given, episodes)), episodes)

        return waited

    @functools.wraps(function)
    def called(**given: Any) -> list[Any]:
        episodes = find(given)
        return _spared(function(**_documented(given, episodes)), episodes)

    return called


def _documented(given: Mapping[str, Any], episodes: list[Episode]) -> dict[str, Any]:
    """What TRL passes, in the format of the author's prompts: texts for text, whole transcripts for chat messages."""
    return {
        **given,
        "prompts": [episode.row["prompt"] for episode in episodes],
        "completions": [_completion(episode) for episode in episodes],
        "completions_ids": given["completion_ids"],  # the name in TRL's documentation; its trainer passes the other
        "episode": episodes,
    }


def _completion(episode: Episode) -> str | list[Message]:
    """The completion as a scorer gets it; that of an episode which failed before its first turn is empty."""
    found = completion_of(episode)
    return found if isinstance(found, str) else found or [{"role": "assistant", "content": ""}]


def _silenced(model: Any, name: str, last: Callable[[], Batch | None]) -> Any:
    """A view of a reward model, with the same weights, that returns NaN, TRL's None, for a failed episode."""

    def leave_out(module: Any, given: Any, output: Any) -> Any:
        batch = last()
        assert batch is not None  # the environment's columns come first
        output.logits[[bool(episode.error) for episode in batch.episodes]] = float("nan")
        return output

    view = copy.copy(model)
    view._forward_hooks = model._forward_hooks.copy()
    if name != Path(model.config._name_or_path).name:  # TRL logs it under the name in its config
        view.config = copy.copy(model.config)
        view.config._name_or_path = name
    view.register_forward_hook(leave_out)
    return view


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


def _spared(values: Sequence[Any], episodes: Sequence[Episode]) -> list[Any]:
    return [None if episode.error else value for value, episode in zip(values, episodes, strict=True)]


def _free(name: str) -> str:
    """The part's name, unless the column of the whole score has it."""
    return f"{name}_part" if name in (SCORE, STEPS) else name
