"""A worker in an actor, as the run sees it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from grpo_env_ray.cluster import import_ray
from grpo_env_sdk.ext import Frame, WorkerEndedError, WorkerLateError, WorkerLostError, one_line

_SLACK = 30.0
"""How much longer than its deadline a call may take before the actor is asked whether it lives."""
_UNLIMITED = 300.0
_ANSWER_SECONDS = 15.0


class Seat:
    """An actor that has loaded the environment: one worker process at a time is forked in it."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.lost = False
        self.idle = False
        """Whether no episode has its worker, so that the actor may be ended to make room for another pool."""
        self.workers = 0
        """How many workers it has had; the number of the last one."""

    def leave(self) -> Any:
        """Have the actor end itself, with its worker and all that it started; the reference to wait for."""
        self.lost = True
        return self.actor.leave.remote()

    def end(self) -> None:
        """End an actor that may not answer; Ray kills what it started, and its temporary folders stay."""
        self.lost = True
        ray = import_ray()
        if ray.is_initialized():  # or `kill` would start a cluster
            with suppress(ValueError):  # its own connection is over, and so is the actor
                ray.kill(self.actor, no_restart=True)

    async def answers(self) -> bool:
        """Whether the actor lives, and answers in time."""
        try:
            return bool(await asyncio.wait_for(awaited(self.actor.answers.remote()), _ANSWER_SECONDS))
        except (TimeoutError, import_ray().exceptions.RayError):
            return False


class RayWorker:
    """A worker process in the actor of a seat, which is free again when this worker has ended."""

    def __init__(self, seat: Seat, free: Callable[[Seat], None]) -> None:
        self.alone = asyncio.Lock()
        self.usable = True
        self.seat = seat
        seat.idle = True
        self.number = seat.workers
        self._free = free
        self._killed = False

    @property
    def alive(self) -> bool:
        """Whether another episode may have it, and its actor is not known to be lost."""
        return self.usable and not self.seat.lost

    async def ask(self, frame: Frame, seconds: float | None, clocks: int = 0) -> Frame:
        """What the worker answers; raises where it is late, ended, or lost with its node."""
        if self.seat.lost:
            raise WorkerLostError("its actor was ended to make room.")
        self.seat.idle = False
        try:
            found, value, code = await self._answered(frame.packed(), seconds, clocks)
        except asyncio.CancelledError:
            self.usable = False  # its answer would be taken for that to another question
            raise
        except import_ray().exceptions.RayError as exc:
            self.lose()
            raise WorkerLostError(one_line(exc)) from None
        if found == "frame":
            answer, self.seat.idle = Frame.unpacked(value), frame.kind == "close"
            self.usable = self.usable and answer.kind != "stuck"
            return answer
        self.kill()
        raise WorkerLateError(value) if found == "late" else WorkerEndedError(value, code)

    def kill(self) -> None:
        """End it and everything that it started; the actor may have another one."""
        self.usable = False
        if not self._killed:
            self._killed = True
            if not self.seat.lost:
                self.seat.actor.kill.remote(self.number)
                self.seat.idle = True
                self._free(self.seat)

    def lose(self) -> None:
        """Give up the actor too."""
        self.usable, self._killed = False, True
        if not self.seat.lost:
            self.seat.end()

    async def _answered(self, data: bytes, seconds: float | None, clocks: int) -> tuple[str, Any, Any]:
        """The reply of the actor, which keeps the deadlines; an actor that is stuck itself is ended."""
        asked = asyncio.ensure_future(awaited(self.seat.actor.ask.remote(self.number, data, seconds, clocks)))
        try:
            while not asked.done():
                patience = _UNLIMITED if seconds is None else (1 + clocks) * seconds + _SLACK
                await asyncio.wait({asked}, timeout=patience)
                if not asked.done() and not await self.seat.answers() and not asked.done():
                    self.lose()
                    raise WorkerLostError("its actor did not answer, and was ended.")
            reply: tuple[str, Any, Any] = asked.result()
            return reply
        finally:
            asked.cancel()


async def awaited(reference: Any) -> Any:
    """The result of a reference, as a coroutine, which Ray's references are not."""
    return await reference
