"""Hosts that begin again on another instance, with the same commands: where a call failed, or a machine was lost."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from grpo_env_sdk.rollout.commands import Failed, HostCommand, HostEvent, Reset, RunTools, Step, ToolsRan
from grpo_env_sdk.rollout.host import Host, HostFactory, Job
from grpo_env_sdk.types import Episode, canonical_json

LOST = "WorkerLostError"
"""The type of the fault where a worker is gone with its machine."""
_TIMES = ("seconds", "detail")
"""What may differ where a call is repeated: how long it took, and a traceback."""


def host_for(job: Job, hosts: HostFactory, retries: int) -> Host:
    """The host of an episode, which begins again up to so many times."""
    opened = partial(hosts.open, job)
    return RetryingHost(opened, retries, hosts.env.traits.replayable) if retries else opened()


def with_retries(episode: Episode, host: Host) -> Episode:
    """The record, with how often its host began again."""
    return replace(episode, env_retries=host.retries) if isinstance(host, RetryingHost) else episode


class RepeatingHost(ABC):
    """The environment of one episode, which may be begun again a few times.

    After a failure the commands so far are repeated on a new host, with the messages that the model wrote already.
    Where that shows the model anything else than before, the failure stands.
    """

    def __init__(self, open_host: Callable[[], Host], most: int, replayable: bool) -> None:
        self.retries = 0
        """How often it began again."""
        self._open = open_host
        self._most = most
        self._replayable = replayable
        self._host: Host | None = open_host()
        self._answered: list[tuple[HostCommand, HostEvent]] = []

    async def ready(self) -> None:
        """Wait until the host has a place to run."""
        if (ready := getattr(self._host, "ready", None)) is not None:
            await ready()

    async def perform(self, command: HostCommand) -> HostEvent:
        """The event that says how it went, the last time."""
        assert self._host is not None
        event = await self._host.perform(command)
        if isinstance(event, Failed) and self._begins_again(command, event):
            event = await self._repeated(command, event)
        if not isinstance(event, Failed):
            self._answered.append((_as_it_is_now(command), event))
        return event

    async def close(self) -> None:
        """Close the host that is open now."""
        host, self._host = self._host, None
        if host is not None:
            await host.close()

    def _begins_again(self, command: HostCommand, event: HostEvent) -> bool:
        return isinstance(event, Failed) and self.retries < self._most and self._can_be_repeated(command, event)

    @abstractmethod
    def _can_be_repeated(self, command: HostCommand, failed: Failed) -> bool:
        """Whether the episode may begin again after this failure of a command."""

    async def _repeated(self, command: HostCommand, failed: Failed) -> HostEvent:
        started = time.perf_counter()
        event: HostEvent = failed
        while self._begins_again(command, event):
            self.retries += 1
            await self.close()  # first, as a server may have no other session
            self._host = self._open()
            event = await self._caught_up(self._host, failed) or await self._host.perform(command)
        return replace(event, seconds=failed.seconds + time.perf_counter() - started)

    async def _caught_up(self, host: Host, failed: Failed) -> Failed | None:
        """None once a new host is where the last one failed, or the failure that counts."""
        for command, before in self._answered:
            event = await host.perform(command)
            if isinstance(event, Failed):
                return event
            if _shown(event) != _shown(before):
                self._most = 0
                what = f"{type(command).__name__} came out differently when the episode was played again"
                return replace(failed, fault=replace(failed.fault, message=f"{failed.fault.message} ({what})"))
        return None


class RetryingHost(RepeatingHost):
    """Begins again where a reset or a step of the environment failed."""

    def _can_be_repeated(self, command: HostCommand, failed: Failed) -> bool:
        again = isinstance(command, Reset) or (self._replayable and isinstance(command, Step | RunTools))
        return again and failed.fault.type != "ScoreError" and failed.reason in ("env_error", "timeout")


class MovingHost(RepeatingHost):
    """Begins again on another machine where its own is gone, whatever it was asked to do."""

    def _can_be_repeated(self, command: HostCommand, failed: Failed) -> bool:
        return failed.fault.type == LOST and (isinstance(command, Reset) or self._replayable)


def _as_it_is_now(command: Any) -> Any:
    """The command with a copy of its transcript, which grows."""
    return replace(command, messages=list(command.messages)) if hasattr(command, "messages") else command


def _shown(event: HostEvent) -> str:
    """Everything in an event but how long it took."""
    told = {item.name: getattr(event, item.name) for item in fields(event) if item.name not in _TIMES}
    if isinstance(event, ToolsRan):
        told["tool_calls"] = [outcome.as_json() for outcome in told.pop("outcomes")]
    calls = told.get("tool_calls", [])
    told["tool_calls"] = [{name: call[name] for name in call if name not in _TIMES} for call in calls]
    return canonical_json(told)
