"""The hooks that a plugin may implement."""

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
    """A command of `grpo-env`; `target` is a "module:function" that is imported when the command runs.

    The function takes the remaining arguments as a list of str and returns the exit code.
    """

    name: str
    help: str
    target: str


@dataclass(frozen=True, slots=True)
class PoolFlag:
    """A flag of a pool, such as `--ray-address`; its value is a text in `EnvPool.options`."""

    name: str
    metavar: str
    help: str

    @property
    def option(self) -> str:
        """Its name in Python, files and runs."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """A pool for `--env-pool`; `target` is a "module:function" that is imported when an environment runs there.

    The function takes a `LoadedEnv`, whose `pool` says what the user asked for, and the order by which a worker loads
    the environment again, as JSON has it; it returns a `WorkerSource`.
    """

    name: str
    help: str
    target: str
    flags: tuple[PoolFlag, ...] = ()
    reads: tuple[str, ...] = ()
    """The attributes of an environment that the function reads: `loaded.env` may be no instance, and has only these."""


@hookspec
def grpo_env_register_envs() -> Iterable[EnvSpec]:  # type: ignore[empty-body]  # a specification
    """The environments of an adapter, often many, without importing any."""


@hookspec
def grpo_env_make_policy(spec: Any) -> Any:
    """A policy for a `PolicySpec`, or None; the first plugin that returns one wins."""


@hookspec
def grpo_env_open_tokenizer(name: str) -> Any:
    """The tokenizer of a model by its hub id, folder or run, or None; the first plugin that returns one wins."""


@hookspec
def grpo_env_episode_finished(episode: Episode) -> None:
    """Called with every episode of an evaluation when it ends."""


@hookspec
def grpo_env_register_commands() -> Iterable[CommandSpec]:  # type: ignore[empty-body]  # a specification
    """More commands for `grpo-env`."""


@hookspec
def grpo_env_register_checks() -> Iterable[Any]:  # type: ignore[empty-body]  # a specification
    """More checks for `grpo-env test`: functions marked with `grpo_env_sdk.checking.check`."""


@hookspec
def grpo_env_register_pools() -> Iterable[PoolSpec]:  # type: ignore[empty-body]  # a specification
    """More places where environment code runs, for `--env-pool`."""
