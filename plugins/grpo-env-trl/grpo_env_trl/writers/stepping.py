"""Steps an engine while any request is open: one may be added at any moment, and none waits for a round."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from grpo_env_trl.writers.engine import Completed, Engine, Read
from grpo_env_trl.writers.figures import Figures

Asked = TypeVar("Asked", bound=Read)


@dataclass(frozen=True, slots=True)
class _Turn(Generic[Asked]):
    """A turn that is asked for, and who waits for it."""

    ask: Asked
    answered: "asyncio.Future[Completed]"


class Stepping(Generic[Asked]):
    """`sampled` is awaited in event loops; `run` is called by the one thread that has the engine."""

    def __init__(self) -> None:
        self.figures = Figures()
        self._asked: SimpleQueue[_Turn[Asked] | None] = SimpleQueue()
        """Turns that the engine does not have yet; None ends `run`."""
        self._open: dict[str, _Turn[Asked]] = {}
        self._keys = map(str, count())
        self._failure: Exception | None = None

    async def sampled(self, ask: Asked) -> tuple[Completed, float]:
        """The tokens of this turn, and the seconds that they took; cancelling drops it."""
        answered: asyncio.Future[Completed] = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        self._asked.put(_Turn(ask, answered))
        if self._failure is not None:  # read after the turn is in the queue, which `fail` empties
            raise self._failure
        answer = await answered
        return answer, time.perf_counter() - began

    def end(self) -> None:
        """Let `run` return, whatever is open."""
        self._asked.put(None)

    def run(self, engine: Engine[Asked]) -> None:
        """Sample what is asked for until `end`; nothing stays in the engine, however this ends."""
        try:
            while self._take(engine):
                self._drop(engine, [key for key, turn in self._open.items() if turn.answered.cancelled()])
                if self._open:
                    self._step(engine)
        finally:  # what stays in the engine would be sampled in the next batch
            engine.abort(list(self._open))
            self.figures.aborted += len(self._open)

    def fail(self, error: Exception) -> None:
        """Raise in all who wait or will ask, after `run` is over."""
        self._failure = error
        with suppress(Empty):
            while True:
                turn = self._asked.get_nowait()
                if turn is not None:
                    _settle(turn.answered, error)
        for turn in self._open.values():
            _settle(turn.answered, error)

    def _take(self, engine: Engine[Asked]) -> bool:
        """Give the engine all that is asked for, and wait for that while it has nothing to do; False at the end."""
        try:
            turn = self._asked.get(block=not self._open)
            while turn:
                key = next(self._keys)
                self._open[key] = turn
                engine.add(key, turn.ask)
                turn = self._asked.get_nowait()
        except Empty:
            return True
        return False

    def _step(self, engine: Engine[Asked]) -> None:
        with self.figures.timed("busy"):
            answers = engine.step()
        self.figures.steps += 1
        self.figures.rows += len(self._open)
        for answer in answers:
            turn = self._open.pop(answer.key)
            if answer.cached is not None:
                self.figures.read += len(turn.ask.context)
                self.figures.cached += answer.cached
            _settle(turn.answered, answer)

    def _drop(self, engine: Engine[Asked], keys: list[str]) -> None:
        if keys:
            engine.abort(keys)
            self.figures.aborted += len(keys)
            for key in keys:
                del self._open[key]


def _settle(answered: "asyncio.Future[Completed]", found: Completed | Exception) -> None:
    """Hand over an answer or an error, in the loop of whoever waits for it."""

    def settle() -> None:
        if answered.done():  # a deadline may have given it up
            return
        if isinstance(found, Exception):
            answered.set_exception(found)
        else:
            answered.set_result(found)

    with suppress(RuntimeError):  # that loop is closed, so nobody waits
        answered.get_loop().call_soon_threadsafe(settle)
