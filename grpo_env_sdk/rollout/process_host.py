"""Environment code in worker processes: one episode at a time in each, killed where it hangs."""

import asyncio
import itertools
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.rollout.closing import CLOSE_SECONDS
from grpo_env_sdk.rollout.commands import (
    ANSWERS,
    AskUser,
    Failed,
    HostCommand,
    HostEvent,
    Opened,
    Reset,
    RunTools,
    ScoreEpisode,
    Solve,
    Step,
    View,
    call_seconds_with,
)
from grpo_env_sdk.rollout.encoding import CommandEncoder, Packet, decode_event
from grpo_env_sdk.rollout.env_failures import clock_of
from grpo_env_sdk.rollout.event_types import adds_up, fits
from grpo_env_sdk.rollout.host import Host, Job
from grpo_env_sdk.rollout.process_frames import Frame
from grpo_env_sdk.rollout.retrying import LOST, MovingHost
from grpo_env_sdk.rollout.worker_channel import WorkerEndedError, WorkerLateError
from grpo_env_sdk.rollout.worker_pool import GONE, NOTHING, WorkerPool
from grpo_env_sdk.rollout.worker_source import WorkerLink, WorkerLostError
from grpo_env_sdk.types import Fault

_STAGES: dict[type, str] = {
    Reset: "reset", View: "view", RunTools: "tools", AskUser: "user", Step: "step", Solve: "solve",
    ScoreEpisode: "score",
}  # fmt: skip

_WITH_ALL_OTHERS = ", with the process that all workers come from: code of another episode may have killed it"
_AT_ONCE = 1 << 16
"""JSON of so many characters is read on the event loop."""


class ProcessHost:
    """The environment of one episode, in a worker; what the worker does to itself becomes a failure of this episode."""

    def __init__(self, hosts: WorkerPool, job: Job, number: int) -> None:
        self._hosts, self._job, self._number = hosts, job, number
        self._encoder = CommandEncoder()
        self._worker: WorkerLink | None = None
        self._began: Reset | None = None
        self._again = False
        """Whether it has begun in another worker, as the first one never was."""
        self._lost = ""
        self._call_seconds = hosts.call_seconds

    async def ready(self) -> None:
        """Wait until there is a worker, where that may take long; what goes wrong here is said by the first command."""
        if self._hosts.may_wait:
            with suppress(GrpoEnvError, WorkerLostError):
                self._worker = await self._hosts.worker()

    async def perform(self, command: HostCommand) -> HostEvent:
        """The event that says how it went."""
        started = time.perf_counter()
        try:
            event = await self._performed(command)
        except WorkerLateError as exc:
            self._lost = f"{self._hosts.env.spec.id}: {self._what(command)} did not come back within {exc.seconds:g} s."
            event = self._failed(command, "timeout", "DeadlineError", self._lost)
        except WorkerEndedError as exc:
            event = self._ended(command, exc)
        except WorkerLostError as exc:
            self._lost = f"{self._hosts.env.spec.id}: {self._which} was lost in {self._what(command)}: {exc}"
            fault = Fault("sdk", _STAGES[type(command)], LOST, self._lost)
            event = Failed("env_error", fault, clock_of(fault.stage))
        return replace(event, seconds=time.perf_counter() - started) if isinstance(event, Failed) else event

    async def close(self) -> None:
        """Close the instance, and let another episode have the worker."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        if not self._lost:
            seconds = min(self._hosts.call_seconds or CLOSE_SECONDS, CLOSE_SECONDS)
            with suppress(*GONE):  # the episode is recorded, however its instance closes
                async with worker.alone:
                    if worker.usable:
                        closed = await worker.ask(Frame("close", self._number, NOTHING), seconds)
                        self._hosts.tell_of_left(closed.packet)
        self._hosts.give_back(worker)

    async def _performed(self, command: HostCommand) -> HostEvent:
        if self._lost:
            return self._failed(command, "env_error", "ProcessEndedError", self._lost)
        while True:
            worker = self._worker
            if worker is not None and not worker.usable and not self._hosts.shares_worker:
                return self._failed(command, "env_error", "ProcessEndedError", "Its process was ended before.")
            if worker is None or not worker.usable:  # another episode has ended the one that they share
                worker = await self._hosts.worker()
            async with worker.alone:
                if worker.usable:
                    try:
                        await self._move_to(worker)
                        return await self._exchanged(worker, command)
                    except WorkerEndedError as exc:
                        if not self._was_never_there(command, exc):
                            raise
                        self._again, self._worker = True, None

    def _was_never_there(self, command: HostCommand, exc: WorkerEndedError) -> bool:
        """Whether the process that the worker was to come from has ended, by the code of another episode."""
        first = isinstance(command, Reset) and not self._again
        return first and exc.code is None and not self._hosts.source_runs

    async def _move_to(self, worker: WorkerLink) -> None:
        """Begin in a worker, again if another one was left."""
        if worker is not self._worker:
            self._worker, self._encoder = worker, CommandEncoder()
            if self._began is not None:
                await self._exchanged(worker, self._began)

    async def _exchanged(self, worker: WorkerLink, command: HostCommand) -> HostEvent:
        if isinstance(command, Reset):
            self._began = command
        frame = Frame("perform", self._number, self._encoder.encode(command))
        clocks = len(command.calls) if isinstance(command, RunTools) else 0
        found = await worker.ask(frame, self._call_seconds, clocks)
        try:
            event: Any = await _decoded(found.packet)
        except Exception as exc:
            raise self._nonsense(worker, str(exc) or type(exc).__name__) from exc
        if found.kind == "stuck" and isinstance(event, dict):
            return self._failed(command, "timeout", "DeadlineError", str(event.get("message")))
        if not any(fits(event, wanted) for wanted in (ANSWERS[type(command)], Failed)) or not adds_up(event):
            raise self._nonsense(worker, f"{event!r:.80}")
        if isinstance(event, Opened):
            hosts = self._hosts
            self._call_seconds = call_seconds_with(event.limits, hosts.asked_call_seconds, hosts.call_seconds)
        return cast(HostEvent, event)

    def _ended(self, command: HostCommand, exc: WorkerEndedError) -> Failed:
        why = "" if exc.code is not None or self._hosts.source_runs else _WITH_ALL_OTHERS
        self._lost = f"{self._hosts.env.spec.id}: {self._which} {exc} in {self._what(command)}{why}."
        return self._failed(command, "env_error", "ProcessEndedError", self._lost)

    def _nonsense(self, worker: WorkerLink, what: str) -> WorkerEndedError:
        worker.kill()
        return WorkerEndedError(f"was ended, as it sent no answer but {what}", None)

    @property
    def _which(self) -> str:
        return f"the process of row {self._job.row_index}, sample {self._job.sample}"

    def _what(self, command: HostCommand) -> str:
        if isinstance(command, RunTools):
            return f"the tool {' or '.join(dict.fromkeys(repr(call.name) for call in command.calls))}"
        return _STAGES[type(command)]

    def _failed(self, command: HostCommand, reason: Any, kind: str, message: str) -> Failed:
        stage = _STAGES[type(command)]
        return Failed(reason, Fault("environment", stage, kind, message), clock_of(stage))


async def _decoded(packet: Packet) -> HostEvent:
    """The event in a packet; one with images or much JSON is read in a thread, while other episodes go on."""
    if len(packet.text) > _AT_ONCE or any(blob.startswith(b"\x89PNG") for blob in packet.blobs):
        return await asyncio.to_thread(decode_event, packet)
    return decode_event(packet)


class ProcessHosts(WorkerPool):
    """Hosts whose environment code runs in other processes."""

    _numbers = itertools.count(1)

    def open(self, job: Job) -> Host:
        """The host of one episode."""
        if not self.moves:
            return ProcessHost(self, job, next(self._numbers))
        return MovingHost(
            lambda: ProcessHost(self, job, next(self._numbers)), self.moves, self.loaded.traits.replayable
        )
