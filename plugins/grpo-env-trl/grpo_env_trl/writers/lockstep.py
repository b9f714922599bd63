"""All episodes that wait are answered in one call of the trainer's generator, in the order of the batch."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from queue import SimpleQueue
from typing import Any, TypeVar

from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.writers.figures import Figures
from grpo_env_trl.writers.meeting import failed_elsewhere, has_failed
from grpo_env_trl.writers.writer import Ask, Written

T = TypeVar("T")
_OVER, _GOES_ON, _FAILED = range(3)
"""The state of a process before a round; the largest one decides for all of them."""

Waiting = tuple[Ask, "asyncio.Future[Written]"]
Sample = Callable[[Sequence[Ask], int], tuple[list[list[int]], list[list[float]] | None]]
"""Samples at most so many tokens for each ask, in one call that every process makes."""


class LockstepWriter:
    """Round by round: once no environment code runs, one generation for every episode that waits.

    With several processes each of them takes part in every round until all are done, with a batch of the same size.
    `lend` is entered while the environments work: scorers may use the model then, and nothing is sampled.
    """

    def __init__(
        self,
        trainer: Any,
        loop: asyncio.AbstractEventLoop,
        filler: list[int],
        max_turn_tokens: int | None,
        lend: Callable[[], AbstractContextManager[Any]],
        sample: Sample | None = None,
    ) -> None:
        """`sample` is how a round is sampled; None is the trainer's own generation."""
        self.figures = Figures()
        self._trainer = trainer
        self._loop = loop
        self._filler = filler
        self._max_turn_tokens = max_turn_tokens
        self._lend = lend
        self._sample = sample or self._generated
        self._waiting: dict[int, Waiting] = {}
        self._rounds: SimpleQueue[list[Waiting]] = SimpleQueue()

    async def write(self, ask: Ask) -> Written:
        """The tokens of this turn, from the next round."""
        written: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        self._waiting[ask.place] = (ask, written)
        return await written

    def when_quiet(self) -> None:
        """Begin a round with those that wait."""
        waiting, self._waiting = self._waiting, {}
        asked = [waiting[place] for place in sorted(waiting) if not waiting[place][1].done()]
        if asked:
            self._rounds.put(asked)

    def pump(self, begin: Callable[[], "Future[T]"]) -> T:
        """Generate round by round until the episodes of every process are over."""
        with ExitStack() as ending:
            ending.enter_context(self.figures.timed("wall"))
            with self._lend():
                episodes = begin()
                ending.callback(episodes.cancel)  # has no effect once they are over
                episodes.add_done_callback(lambda _: self._rounds.put([]))
                asked = self._rounds.get()
            while self._goes_on(episodes, asked):
                turns = self._round(asked)
                with self._lend():  # first: scorers may use the model as soon as an episode continues
                    self._loop.call_soon_threadsafe(_deliver, asked, turns)
                    asked = self._rounds.get() if asked else []
            return episodes.result()

    def _goes_on(self, episodes: "Future[Any]", asked: list[Waiting]) -> bool:
        """Whether any process has a round to generate; raises if the episodes of another one failed."""
        state = _GOES_ON if asked else _FAILED if has_failed(episodes) else _OVER
        with self.figures.timed("ranks"):
            found = ranks.largest_over_ranks(self._trainer, state)
        if found == _FAILED != state:
            raise failed_elsewhere()
        return found == _GOES_ON

    def _round(self, asked: list[Waiting]) -> list[Written]:
        """One generation; a process in which nobody waits takes part with filler."""
        started = time.perf_counter()
        wanted = max((ask.most for ask, _ in asked), default=1)
        most = ranks.largest_over_ranks(self._trainer, min(wanted, self._max_turn_tokens or wanted))
        size = ranks.largest_over_ranks(self._trainer, len(asked))
        filler = [Ask(-1, self._filler, 1)] * (size - len(asked))
        ids, logprobs = self._sample([*(ask for ask, _ in asked), *filler], most)
        spent = time.perf_counter() - started
        self.figures.busy += spent
        lengths = [len(turn) for turn in ids[: len(asked)]]
        self.figures.steps += max(lengths, default=0)
        self.figures.rows += sum(lengths)
        return [Written(ids[i], logprobs[i] if logprobs else None, spent) for i in range(len(asked))]

    def _generated(self, asked: Sequence[Ask], most: int) -> tuple[list[list[int]], list[list[float]] | None]:
        return trl_facts.generate(self._trainer, [ask.context for ask in asked], most)


def _deliver(asked: list[Waiting], turns: list[Written]) -> None:
    for (_, written), turn in zip(asked, turns, strict=True):
        if not written.done():  # a deadline may have given it up
            written.set_result(turn)
