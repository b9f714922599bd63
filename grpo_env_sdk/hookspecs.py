"""The hooks that a plugin may implement, and what it gives back through them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pluggy

from grpo_env_sdk.types import EnvSpec, Episode

PROJECT = "grpo_env_sdk"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin that implements the hook of its name."""


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command of `grpo-env`: `target` is a "module:function", imported when the command is used.

    The function takes the remaining arguments as a list of str and returns the exit code.
    """

    name: str
    help: str
    target: str


@hookspec
def grpo_env_register_envs() -> Iterable[EnvSpec]:  # type: ignore[empty-body]  # a specification
    """Environments that an adapter brings, many at once, importing none of them."""


@hookspec
def grpo_env_make_policy(spec: Any) -> Any:
    """A policy for a `PolicySpec`, or None; the first plugin that has one wins."""


@hookspec
def grpo_env_episode_finished(episode: Episode) -> None:
    """Sees every episode of an evaluation as it ends."""


@hookspec
def grpo_env_register_commands() -> Iterable[CommandSpec]:  # type: ignore[empty-body]  # a specification
    """More commands for `grpo-env`."""


@hookspec
def grpo_env_register_checks() -> Iterable[Any]:  # type: ignore[empty-body]  # a specification
    """More checks for `grpo-env test`: functions marked with `grpo_env_sdk.checking.check`."""
