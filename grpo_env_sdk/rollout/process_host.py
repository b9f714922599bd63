"""Environment code in worker processes: one episode at a time in each, killed where it hangs."""

import asyncio
import itertools
import sys
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.shared_resource import opens_shared
from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.rollout.commands import (
    ANSWERS,
    USUAL_CALL,
    AskUser,
    Failed,
    HostCommand,
    HostEvent,
    Limits,
    Reset,
    RunTools,
    ScoreEpisode,
    Solve,
    Step,
    View,
)
from grpo_env_sdk.rollout.encoding import CommandEncoder, Packet, decode
from grpo_env_sdk.rollout.event_types import adds_up, fits
from grpo_env_sdk.rollout.host import Host, Job
from grpo_env_sdk.rollout.kept_state import names_in
from grpo_env_sdk.rollout.process_frames import Frame
from grpo_env_sdk.rollout.process_order import order_for
from grpo_env_sdk.rollout.process_talk import WorkerEndedError, WorkerLateError
from grpo_env_sdk.rollout.retrying import LOST, MovingHost
from grpo_env_sdk.rollout.thread_host import CLOSE_SECONDS, clock_of
from grpo_env_sdk.rollout.worker_source import WorkerLink, WorkerLostError, source_for
from grpo_env_sdk.types import Fault

_STAGES: dict[type, str] = {
    Reset: "reset", View: "view", RunTools: "tools", AskUser: "user", Step: "step", Solve: "solve",
    ScoreEpisode: "score",
}  # fmt: skip
_NOTHING = Packet("null")
_GONE = (WorkerLateError, WorkerEndedError, WorkerLostError)


class ProcessHosts:
    """Hosts whose environment code runs in other processes, which are forked from one that has imported it."""

    def __init__(
        self, loaded: LoadedEnv, call_seconds: float | None = USUAL_CALL, *, has_model: bool = False,
        tokenizer: Any = None,
    ) -> None:  # fmt: skip
        """`has_model` says that the run has a live model, which no worker gets; `tokenizer` is that of the model."""
        self.loaded, pool = loaded, loaded.pool
        self.call_seconds = Limits(call_seconds=call_seconds).of(loaded.description).call_seconds
        self.shares_worker = loaded.description.scores_in_order
        """Whether all episodes have to go to one worker, as their one instance may keep state."""
        order = order_for(loaded, tokenizer)
        settings = {"call_seconds": self.call_seconds, "memory": pool.memory_bytes, "model": has_model}
        self._source = source_for(loaded, {**order, **settings})
        self._idle: list[WorkerLink] = []
        self._numbers = itertools.count(1)
        self._choosing = asyncio.Lock()
        self._given_back = asyncio.Event()
        self._told_of_kept = False
        self._spare: list[asyncio.Future[WorkerLink]] = []
        """Workers that are being started, and that no episode waits for any more."""

    @property
    def env(self) -> EnvDescription:
        """What drivers and policies may know of the environment; at most as many live episodes as workers."""
        description = self.loaded.description
        return replace(description, traits=replace(description.traits, max_live=self._max_live))

    @property
    def may_wait(self) -> bool:
        """Whether workers are elsewhere, where others may have the room for them."""
        return self._source.moves > 0 and not self.shares_worker

    @property
    def source_runs(self) -> bool:
        """Whether what workers come from has not ended."""
        return self._source.runs

    @cached_property
    def _max_live(self) -> int | None:
        most = self.loaded.traits.max_live
        return most if self.shares_worker else min(self._source.most(), most or sys.maxsize)

    def open(self, job: Job) -> Host:
        """The host of one episode."""
        if not self._source.moves:
            return ProcessHost(self, job, next(self._numbers))
        return MovingHost(
            lambda: ProcessHost(self, job, next(self._numbers)), self._source.moves, self.loaded.traits.replayable
        )

    async def begin(self) -> None:
        """Start what workers come from, and the first of them; raises where that fails."""
        if not self._source.runs:
            await self._source.start(self.loaded.build_timeout)
            if not self._idle:
                self._idle.append(await self._started())

    async def end(self) -> None:
        """Let the workers close what they share."""
        spare, self._spare = self._spare, []
        for starting in spare:
            if starting.done() and not starting.cancelled() and starting.exception() is None:
                self._idle.append(starting.result())
            elif starting.get_loop() is asyncio.get_running_loop():
                starting.cancel()
                await asyncio.wait([starting])
            else:
                with suppress(RuntimeError):  # its loop is closed
                    starting.get_loop().call_soon_threadsafe(starting.cancel)
        idle, self._idle = self._idle, []
        for worker in idle:
            if opens_shared(self.loaded.env):
                with suppress(*_GONE):
                    await worker.ask(Frame("quit", 0, _NOTHING), CLOSE_SECONDS)
            worker.kill()

    def close(self) -> None:
        """End all processes."""
        for worker in self._idle:
            worker.kill()
        self._idle = []
        self._source.close()

    async def worker(self) -> WorkerLink:
        """A worker for another episode: one that is idle, or a new one; the only one where all episodes share it."""
        if self.may_wait:
            return await self._first_free()
        async with self._choosing:
            if (idle := self._idle_one()) is not None:
                return idle
            if not self._source.runs:  # code in a worker may have killed it
                await self._source.start(self.loaded.build_timeout)
            worker = await self._started()
            if self.shares_worker:
                self._idle.append(worker)
            return worker

    def give_back(self, worker: WorkerLink) -> None:
        """Let another episode have it, or end it."""
        if not worker.usable:
            worker.kill()
        elif not self.shares_worker:
            self._idle.append(worker)
            self._given_back.set()  # wakes who waits now
            self._given_back.clear()

    def tell_of_kept(self, packet: Packet) -> None:
        """Say once what episodes change for later ones, where each of several workers has its own."""
        several = not self.shares_worker and self._max_live != 1
        if several and not self._told_of_kept and (names := names_in(packet)):
            self._told_of_kept = True
            warnings.warn(
                f"{self.env.spec.id}: episodes change {names} for later ones, and each worker has its own. "
                "--env-workers 1 and --env-pool thread have one for all.", GrpoEnvWarning, stacklevel=2,
            )  # fmt: skip

    def _idle_one(self) -> WorkerLink | None:
        """A worker that waits for an episode, if there is one."""
        while self._idle:
            worker = self._idle[-1] if self.shares_worker else self._idle.pop()
            if worker.alive:
                return worker
            worker.kill()
            if self.shares_worker:
                self._idle.pop()
        return None

    async def _first_free(self) -> WorkerLink:
        """A worker that is idle, or given back before another one has started, for which a machine may lack room."""
        if (idle := self._idle_one()) is not None:
            return idle
        starting = self._spare.pop() if self._spare else asyncio.ensure_future(self._started())
        try:
            while not starting.done():
                freed: asyncio.Future[Any] = asyncio.ensure_future(self._given_back.wait())
                await asyncio.wait([starting, freed], return_when=asyncio.FIRST_COMPLETED)
                freed.cancel()
                if not starting.done() and (idle := self._idle_one()) is not None:
                    self._spare.append(starting)
                    return idle
        except asyncio.CancelledError:
            self._spare.append(starting)
            raise
        return starting.result()

    async def _started(self) -> WorkerLink:
        worker = await self._source.worker(self.loaded.build_timeout)
        if opens_shared(self.loaded.env):
            try:
                told = decode((await worker.ask(Frame("begin", 0, _NOTHING), self.loaded.build_timeout)).packet)
            except WorkerLateError:
                told = {"message": f"open_shared of {self.env.name} did not come back in time."}
            except WorkerEndedError as exc:
                told = {"message": f"open_shared of {self.env.name}: its process {exc}."}
            except asyncio.CancelledError:
                worker.kill()
                raise
            if told is not None:
                worker.kill()
                raise EnvironmentFailedError(str(told["message"]), str(told.get("hint", "")))
        return worker


class ProcessHost:
    """The environment of one episode, in a worker; what the worker does to itself becomes a failure of this episode."""

    def __init__(self, hosts: ProcessHosts, job: Job, number: int) -> None:
        self._hosts, self._job, self._number = hosts, job, number
        self._encoder = CommandEncoder()
        self._worker: WorkerLink | None = None
        self._began: Reset | None = None
        self._again = False
        """Whether it has begun in another worker, as the first one never was."""
        self._lost = ""

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
            with suppress(*_GONE):  # the episode is recorded, however its instance closes
                async with worker.alone:
                    if worker.usable:
                        closed = await worker.ask(Frame("close", self._number, _NOTHING), seconds)
                        self._hosts.tell_of_kept(closed.packet)
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
        found = await worker.ask(frame, self._hosts.call_seconds, clocks)
        try:
            event: Any = decode(found.packet)
        except Exception as exc:
            raise self._nonsense(worker, str(exc) or type(exc).__name__) from exc
        if found.kind == "stuck" and isinstance(event, dict):
            return self._failed(command, "timeout", "DeadlineError", str(event.get("message")))
        if not any(fits(event, wanted) for wanted in (ANSWERS[type(command)], Failed)) or not adds_up(event):
            raise self._nonsense(worker, f"{event!r:.80}")
        return cast(HostEvent, event)

    def _ended(self, command: HostCommand, exc: WorkerEndedError) -> Failed:
        self._lost = f"{self._hosts.env.spec.id}: {self._which} {exc} in {self._what(command)}."
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
