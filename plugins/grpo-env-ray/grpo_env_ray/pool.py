"""The workers of a run on a Ray cluster: one actor each, on whichever node has what it asks for."""

import asyncio
import math
import sys
import weakref
from collections.abc import Mapping
from typing import Any

import grpo_env_sdk
from grpo_env_ray import actor as actor_module
from grpo_env_ray.actor import EnvActor
from grpo_env_ray.cluster import CLUSTER, import_ray, nodes
from grpo_env_ray.resources import actor_options, asked_of_a_node, fits_in, refusal
from grpo_env_ray.worker import RayWorker, Seat, awaited
from grpo_env_sdk.ext import EnvironmentFailedError, LoadedEnv, WorkerLostError, one_line, say

MOVES = 3
"""How often an episode goes on elsewhere after its node was lost."""
_ROOM_SECONDS = 5.0
"""How long an actor waits for room before other pools of this process give up one that is idle."""
_LEAVING_SECONDS = 5.0
"""How long actors have to end what they started, before they are killed."""
_OPEN: "weakref.WeakSet[RayWorkers]" = weakref.WeakSet()
"""The pools of this process: a training has one for its batches, and opens others for held-out rows."""


def ray_workers(loaded: LoadedEnv, order: Mapping[str, Any]) -> "RayWorkers":
    """The pool for an environment; an error where Ray, its cluster, or what a worker asks for is missing."""
    import_ray()
    return RayWorkers(loaded, order)


class RayWorkers:
    """Actors that have loaded the environment; see `WorkerSource`."""

    moves = MOVES

    def __init__(self, loaded: LoadedEnv, order: Mapping[str, Any]) -> None:
        self._name, self._pool, self._order = loaded.spec.id, loaded.pool, dict(order)
        options, declared = loaded.pool.options, getattr(loaded.env, "ray_resources", None)
        self._asked = asked_of_a_node(declared, options.get("ray_resources"), self._name)
        cpus = math.ceil(self._pool.workers * float(self._asked["num_cpus"]))
        CLUSTER.enter(options.get("ray_address"), max(cpus, 1))
        self._room = self._room_for()
        self.runs = False
        self._free: list[Seat] = []
        self._seats: list[Seat] = []
        self._class: Any = None
        _OPEN.add(self)

    def _room_for(self) -> int:
        """How many workers fit into the cluster; raises where none does."""
        here = nodes()
        fits = [fits_in(self._asked, node) for node in here]
        if None in fits:  # they ask for nothing
            return self._pool.workers
        room = sum(count for count in fits if count is not None)
        if room == 0:
            raise refusal(self._asked, here, self._name)
        return room

    def most(self) -> int:
        """As many as fit into the cluster, and the pool says."""
        return min(self._room, self._pool.count or self._room)

    async def start(self, seconds: float | None) -> None:
        """Say so where fewer workers fit than were asked for; each actor loads the environment itself."""
        self.runs = True
        if self._pool.count is not None and self._room < self._pool.count:
            told = f"note: {self._room} workers of {self._name} fit into the Ray cluster, not {self._pool.count}."
            say(told, file=sys.stderr)

    async def worker(self, seconds: float | None) -> RayWorker:
        """A worker in an actor that is free, or in another one, once a node has room for it."""
        while True:
            seat = self._free.pop() if self._free else await self._lasting_seat(seconds)
            if seat.lost:
                continue
            seat.idle, seat.workers = False, seat.workers + 1
            try:
                await seat.actor.worker.remote(seat.workers, seconds)
                return RayWorker(seat, self._free.append)
            except import_ray().exceptions.RayError as exc:
                seat.end()
                if seat.workers == 1:
                    raise WorkerLostError(one_line(exc)) from None

    def close(self) -> None:
        """End the actors; the process stays connected to the cluster."""
        seats, self._seats, self._free = [seat for seat in self._seats if not seat.lost], [], []
        self.runs = False
        ray = import_ray()
        if seats and ray.is_initialized():
            leaving = [seat.leave() for seat in seats]
            ray.wait(leaving, num_returns=len(leaving), timeout=_LEAVING_SECONDS)
        for seat in seats:
            seat.end()

    def give_room(self) -> bool:
        """End an actor that no episode uses; whether there was one."""
        for seat in self._seats:
            if seat.idle and not seat.lost:
                seat.leave()
                return True
        return False

    async def _placed(self, seat: Seat) -> None:
        """Wait until a node has room for an actor; other pools of this process end actors that are idle."""
        placed = asyncio.ensure_future(awaited(seat.actor.answers.remote()))
        try:
            while not placed.done():
                await asyncio.wait({placed}, timeout=_ROOM_SECONDS)
                if not placed.done():
                    any(pool.give_room() for pool in list(_OPEN) if pool is not self)
            placed.result()
        finally:
            placed.cancel()

    async def _lasting_seat(self, seconds: float | None) -> Seat:
        """An actor that has loaded the environment; another one where its node was lost meanwhile."""
        for tries in range(MOVES + 1):
            try:
                return await self._new_seat(seconds)
            except WorkerLostError as exc:
                if tries == MOVES:
                    raise EnvironmentFailedError(
                        f"{self._name}: {MOVES + 1} workers on the Ray cluster were lost while they started: {exc}",
                        "Look at its nodes: `ray status`. If it was started without a token: RAY_AUTH_MODE=disabled.",
                    ) from exc
        raise AssertionError("unreachable")

    async def _new_seat(self, seconds: float | None) -> Seat:
        """An actor that has loaded the environment."""
        ray = import_ray()
        if self._class is None:
            ray.cloudpickle.register_pickle_by_value(actor_module)
            # Without events of its tasks: the cluster's head would keep some kilobytes of each command.
            fixed = {"max_restarts": 0, "max_task_retries": 0, "enable_task_events": False}
            self._class = ray.remote(**fixed, **actor_options(self._asked))(EnvActor)
        seat = Seat(self._class.remote())
        self._seats.append(seat)
        try:
            told = await asyncio.wait_for(self._begun(seat, seconds), seconds)
        except TimeoutError:
            seat.end()
            raise EnvironmentFailedError(
                f"{self._name}: no node of the Ray cluster had room for a worker and loaded it within {seconds:g} s.",
                "Wait for other jobs (`ray status`), take fewer workers, or give it more time: --limit-build.",
            ) from None
        except ray.exceptions.RayError as exc:
            seat.end()
            raise WorkerLostError(one_line(exc)) from None
        except asyncio.CancelledError:
            seat.end()
            raise
        if told:
            seat.end()
            wrong = f"The Ray node {told['node']} cannot run {self._name}: {told['wrong']}"
            raise EnvironmentFailedError(wrong, told["hint"])
        return seat

    async def _begun(self, seat: Seat, seconds: float | None) -> dict[str, str]:
        await self._placed(seat)
        path = [folder or "." for folder in sys.path]
        begun = seat.actor.start.remote(self._order, grpo_env_sdk.__version__, path, self._pool.memory, seconds)
        found: dict[str, str] = await begun
        return found
