"""The interface between the driver and environment code: one host per episode, commands in, events out."""

from dataclasses import dataclass
from typing import Protocol

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.rollout.commands import HostCommand, HostEvent


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to run: which row, and which of its samples."""

    row_index: int
    sample: int = 0
    turns: int | None = None
    """At most so many turns; for a transcript that was cut, and is played again."""


class Host(Protocol):
    """The environment of one episode.

    What it raises costs its episode alone, but for a `GrpoEnvError` of `ready` or `close`, which ends the run. The
    deadline of a call (`Limits.call_seconds`) is the host's: the driver cannot know what one call of it may take.

    One that may have to wait for a place to run, such as a machine that others use, may have `async def ready(self)`:
    the driver awaits it before the first command, while no time of the episode counts.
    """

    async def perform(self, command: HostCommand) -> HostEvent:
        """The event that says how it went; a failure of environment code is the event `Failed`, never raised."""

    async def close(self) -> None:
        """Close the environment of this episode, in a time that ends; called once, however the episode ended."""


class HostFactory(Protocol):
    """An environment, and a host for each of its episodes.

    One that opens something first, such as a connection, may have `async def begin(self)`: the driver awaits it before
    the first episode, and what it raises ends the run.
    """

    @property
    def env(self) -> EnvDescription:
        """What drivers and policies may know of the environment."""

    def open(self, job: Job) -> Host:
        """The host of one episode; nothing of the author's code runs yet. What it raises is as with `Host.ready`."""

    def close(self) -> None:
        """Let go of what all hosts share; the episodes are over."""
