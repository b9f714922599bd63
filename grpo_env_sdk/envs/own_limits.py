"""Limits that `setup` or `reset` gives to one episode, on its instance."""

from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.envs.traits import Traits, count_of, seconds_of


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """What an instance has set for its episode; None where the limit of its class holds."""

    max_turns: int | None = None
    call_seconds: float | None = None
    episode_seconds: float | None = None


def own_limits(env: Any, traits: Traits) -> OwnLimits | None:
    """The limits of an instance whose episode has begun, where they are not those of its class."""
    turns = count_of(env, "max_turns")
    call, episode = seconds_of(env, "call_seconds"), seconds_of(env, "episode_seconds")
    own = OwnLimits(
        None if turns == traits.max_turns else turns,
        None if call == traits.call_seconds else call,
        None if episode == traits.episode_seconds else episode,
    )
    return None if own == OwnLimits() else own
