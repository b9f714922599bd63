"""Each turn is sampled as soon as its episode asks for it, beside those of other episodes: nobody waits for a round."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Any, TypeVar

from grpo_env_trl.writers.engine import Engine
from grpo_env_trl.writers.meeting import meet
from grpo_env_trl.writers.stepping import Stepping
from grpo_env_trl.writers.writer import Ask, Written

T = TypeVar("T")


class ContinuousWriter:
    """Steps an engine while any turn is open; the thread that called the trainer does all of it.

    Processes play their batches without each other, and meet once at the end, where all hear of a failure.
    `opened` is entered once a batch and gives the engine; `lend` lasts as long: the engine has weights of its own.
    """

    def __init__(
        self,
        trainer: Any,
        opened: Callable[[], AbstractContextManager[Engine[Ask]]],
        max_turn_tokens: int | None,
        lend: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self._trainer = trainer
        self._opened = opened
        self._max_turn_tokens = max_turn_tokens
        self._lend = lend
        self._stepping = Stepping[Ask]()
        self.figures = self._stepping.figures

    async def write(self, ask: Ask) -> Written:
        """The tokens of this turn, as soon as they are sampled."""
        most = min(ask.most, self._max_turn_tokens or ask.most)
        answer, seconds = await self._stepping.sampled(replace(ask, most=most))
        return Written(answer.ids, answer.logprobs, seconds)

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

    def _play(self, engine: Engine[Ask], begin: Callable[[], "Future[T]"]) -> T:
        with ExitStack() as ending:
            ending.enter_context(self._lend())
            episodes = begin()
            ending.callback(episodes.cancel)  # has no effect once they are over
            episodes.add_done_callback(lambda _: self._stepping.end())
            self._stepping.run(engine)
            return episodes.result()
