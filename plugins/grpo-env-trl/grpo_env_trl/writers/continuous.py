"""Each turn is sampled as soon as its episode asks for it, beside those of other episodes: nobody waits for a round."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from grpo_env_trl.writers.engine import Answer, Engine
from grpo_env_trl.writers.figures import Figures
from grpo_env_trl.writers.meeting import meet
from grpo_env_trl.writers.writer import Ask, Written

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn that is asked for, who waits for it, and since when."""

    ask: Ask
    written: "asyncio.Future[Written]"
    since: float


class ContinuousWriter:
    """Steps an engine while any turn is open; the thread that called the trainer does all of it.

    Processes play their batches without each other, and meet once at the end, where all hear of a failure.
    `opened` is entered once a batch and gives the engine; `lend` lasts as long: the engine has weights of its own.
    """

    def __init__(
        self,
        trainer: Any,
        loop: asyncio.AbstractEventLoop,
        opened: Callable[[], AbstractContextManager[Engine]],
        max_turn_tokens: int | None,
        lend: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self.figures = Figures()
        self._trainer = trainer
        self._loop = loop
        self._opened = opened
        self._max_turn_tokens = max_turn_tokens
        self._lend = lend
        self._asked: SimpleQueue[_Turn | None] = SimpleQueue()
        """Turns that the engine does not have yet; None once the episodes are over."""
        self._open: dict[str, _Turn] = {}
        self._keys = map(str, count())

    @property
    def seconds(self) -> float:
        """How long the engine has worked."""
        return self.figures.busy

    async def write(self, ask: Ask) -> Written:
        """The tokens of this turn, as soon as they are sampled."""
        written: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        most = min(ask.most, self._max_turn_tokens or ask.most)
        self._asked.put(_Turn(replace(ask, most=most), written, time.perf_counter()))
        return await written

    def when_quiet(self) -> None:
        """Nothing begins here: every turn has begun already."""

    def pump(self, begin: Callable[[], "Future[T]"]) -> T:
        """Start the episodes and step the engine until they are over."""
        with self._opened() as engine:  # an error in here is raised at once: others may be in another collective
            try:
                with self.figures.timed("wall"):
                    result = self._play(engine, begin)
            except Exception:
                meet(self._trainer, self.figures, failed=True)
                raise
            meet(self._trainer, self.figures, failed=False)
            return result

    def _play(self, engine: Engine, begin: Callable[[], "Future[T]"]) -> T:
        with ExitStack() as ending:
            ending.callback(self._abandon, engine)
            ending.enter_context(self._lend())
            episodes = begin()
            ending.callback(episodes.cancel)  # has no effect once they are over
            episodes.add_done_callback(lambda _: self._asked.put(None))
            while self._take(engine):
                self._drop(engine, [key for key, turn in self._open.items() if turn.written.cancelled()])
                if self._open:
                    self._step(engine)
            return episodes.result()

    def _take(self, engine: Engine) -> bool:
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

    def _step(self, engine: Engine) -> None:
        with self.figures.timed("busy"):
            answers = engine.step()
        self.figures.steps += 1
        self.figures.rows += len(self._open)
        if answers:
            written = [(self._open.pop(answer.key), answer) for answer in answers]
            for turn, answer in written:
                self._count(turn, answer)
            self._loop.call_soon_threadsafe(_deliver, written)

    def _count(self, turn: _Turn, answer: Answer) -> None:
        if answer.cached is not None:
            self.figures.read += len(turn.ask.context)
            self.figures.cached += answer.cached

    def _drop(self, engine: Engine, keys: list[str]) -> None:
        if keys:
            engine.abort(keys)
            self.figures.aborted += len(keys)
            for key in keys:
                del self._open[key]

    def _abandon(self, engine: Engine) -> None:
        """Leave nothing in the engine: a request that stays would be sampled in the next batch."""
        self._drop(engine, list(self._open))


def _deliver(written: list[tuple[_Turn, Answer]]) -> None:
    now = time.perf_counter()
    for turn, answer in written:
        if not turn.written.done():  # a deadline may have given it up
            turn.written.set_result(Written(answer.ids, answer.logprobs, now - turn.since))
