"""The worker processes of an environment: those that wait for an episode, and those that are being started."""

import asyncio
import sys
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.shared_resource import opens_shared
from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvWarning
from grpo_env_sdk.rollout.closing import CLOSE_SECONDS
from grpo_env_sdk.rollout.commands import USUAL_CALL, Limits, Usual
from grpo_env_sdk.rollout.encoding import Packet, decode
from grpo_env_sdk.rollout.kept_state import FILES_LEFT_OPEN, names_in
from grpo_env_sdk.rollout.process_frames import Frame
from grpo_env_sdk.rollout.process_order import order_for
from grpo_env_sdk.rollout.worker_channel import WorkerEndedError, WorkerLateError
from grpo_env_sdk.rollout.worker_source import WorkerLink, WorkerLostError, source_for

NOTHING = Packet("null")
GONE = (WorkerLateError, WorkerEndedError, WorkerLostError)


class WorkerPool:
    """The processes of one environment's episodes, which are forked from one that has imported it."""

    def __init__(
        self, loaded: LoadedEnv, call_seconds: float | None = USUAL_CALL, *, has_model: bool = False,
        tokenizer: Any = None,
    ) -> None:  # fmt: skip
        """`has_model` says that the run has a live model, which no worker gets; `tokenizer` is that of the model."""
        self.loaded, pool = loaded, loaded.pool
        self.asked_call_seconds = call_seconds
        self.call_seconds = Limits(call_seconds=call_seconds).of(loaded.description).call_seconds
        self.shares_worker = loaded.description.scores_in_order
        """Whether all episodes have to go to one worker, as their one instance may keep state."""
        order = order_for(loaded, tokenizer)
        usual = isinstance(call_seconds, Usual)
        settings = {
            "call_seconds": None if usual else call_seconds, "usual_call": usual, "memory": pool.memory_bytes,
            "model": has_model,
        }  # fmt: skip
        self._source = source_for(loaded, {**order, **settings})
        self._idle: list[WorkerLink] = []
        self._choosing = asyncio.Lock()
        self._given_back = asyncio.Event()
        self._told_of_kept = self._told_of_files = False
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
        return self.moves > 0 and not self.shares_worker

    @property
    def moves(self) -> int:
        """To how many other workers an episode may go whose worker was lost."""
        return self._source.moves

    @property
    def source_runs(self) -> bool:
        """Whether what workers come from has not ended."""
        return self._source.runs

    @cached_property
    def _max_live(self) -> int | None:
        most = self.loaded.traits.max_live
        return most if self.shares_worker else min(self._source.most(), most or sys.maxsize)

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
                with suppress(*GONE):
                    await worker.ask(Frame("quit", 0, NOTHING), CLOSE_SECONDS)
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

    def tell_of_left(self, packet: Packet) -> None:
        """Say once that episodes leave files open, and what they change for later ones if not all find it."""
        if packet == FILES_LEFT_OPEN and not self._told_of_files:
            self._told_of_files = True
            new = ", with a new instance," if self.shares_worker else ""
            warnings.warn(
                f"{self.env.spec.id}: episodes leave files open, so another worker{new} takes the place of one that "
                "could open no more. Close what you open.", GrpoEnvWarning, stacklevel=2,
            )  # fmt: skip
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
                told = decode((await worker.ask(Frame("begin", 0, NOTHING), self.loaded.build_timeout)).packet)
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
