"""Held-out rows where a forward pass needs every process: each plays its share, and all sample in the same rounds."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import Evaluator, LoopThread, Metrics
from grpo_env_trl.inference.batching import WriteAll
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.writer import Ask


@dataclass(frozen=True, slots=True)
class _AskForAnswer(Ask):
    """A turn of a held-out episode, with the settings of its own; filler has none."""

    answer: Answer | None = None


class LockstepAnswers:
    """Has the answers of a policy written by the lockstep writer, as the turns of a training batch are."""

    def __init__(self, trainer: Any) -> None:
        self._loop = LoopThread()
        self._places = count()
        self._write_all: WriteAll | None = None
        self.writer = LockstepWriter(trainer, self._loop.loop, [0], None, nullcontext, self._sample)

    def of(self, write_all: WriteAll) -> "LockstepAnswers":
        """The same, for the policy that writes answers so."""
        self._write_all = write_all
        return self

    def play(self, work: Evaluator, seen: Callable[[Episode, Metrics], None]) -> None:
        """Play the episodes of this process, and take part in every round until those of all processes are over."""
        try:
            self.writer.pump(lambda: self._loop.submit(work.run(None, seen)))
        finally:
            self._loop.close()

    async def written(
        self, answer: Answer, off_the_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Wait for the round of this answer."""
        with off_the_clock():
            await self.writer.write(_AskForAnswer(next(self._places), answer.context, answer.most, answer.seed, answer))

    async def close(self) -> None:
        """The model is idle: every episode is over."""

    def _sample(self, asked: Sequence[Ask], most: int) -> tuple[list[list[int]], None]:
        assert self._write_all is not None
        answers = [getattr(ask, "answer", None) or Answer(ask.context, ask.most, frozenset()) for ask in asked]
        self._write_all(answers)
        return [answer.ids for answer in answers], None
