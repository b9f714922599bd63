"""Copies of rows, messages and records for environment code, which then can change nothing of the record."""

from dataclasses import replace
from typing import Any

from grpo_env_sdk.types import Episode

_SHARED = frozenset({str, int, float, bool, type(None)})
_CHANGEABLE = ("row", "messages", "tool_calls", "step_rewards", "metrics", "timings", "usage")


def own_copy(value: Any) -> Any:
    """A copy of what JSON has, to be changed at will; texts, numbers, images and the author's objects are shared."""
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) in _SHARED else own_copy(item) for key, item in value.items()}
    if kind is list:
        return [own_copy(item) for item in value]
    return tuple(map(own_copy, value)) if kind is tuple else value


def scorers_copy(episode: Episode) -> Episode:
    """The episode as scorers get it."""
    return replace(episode, **{name: own_copy(getattr(episode, name)) for name in _CHANGEABLE})
