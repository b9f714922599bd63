"""A rehearsal of some training steps: TRL's own trainer plays and computes, with a learning rate of 0."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvError
from grpo_env_sdk.ext import EnvironmentFailedError, failure_of
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.costs.memory_used import Memory, memory_of
from grpo_env_trl.costs.step_sizes import StepSizes
from grpo_env_trl.progress import Progress
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.grpo_trainer import grpo_trainer, trl_errors
from grpo_env_trl.trl_step import StepParts, lengths_of

SECONDS = 45.0
"""No further batch is played once this much time was spent."""
BATCHES = 3
"""So many batches are played where there is time."""
PATIENCE = 120.0
"""Seconds that the longest answers to one row may take; a model that is slower than that is not measured."""


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """A batch that was played and trained on, with its seconds."""

    episodes: Sequence[Episode]
    lengths: Sequence[tuple[int, int]]
    """The tokens of each prompt and completion."""
    whole: float
    """From the rows to everything that the gradient needs."""
    sampling: float
    environment: float
    gradient: float
    """One forward and backward pass."""
    optimizer: float

    @property
    def preparing(self) -> float:
        """What was neither sampling nor the environment: log-probabilities, a reference, tensors."""
        return max(0.0, self.whole - self.sampling - self.environment)


@dataclass(frozen=True)
class Rehearsed:
    """What a rehearsal measured, of one process."""

    batches: Sequence[PlayedBatch]
    micro: int
    """Episodes of each forward and backward pass."""
    memory: Memory
    device: str

    @property
    def episodes(self) -> list[Episode]:
        """All episodes."""
        return [episode for batch in self.batches for episode in batch.episodes]

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """The tokens of each prompt and completion."""
        return [pair for batch in self.batches for pair in batch.lengths]


class NotMeasuredError(GrpoEnvError):
    """No step can be rehearsed here in a short time; the message says why."""


def rehearsed(setup: TrainingSetup, sizes: StepSizes, progress: Progress) -> Rehearsed:
    """Play and train on a few batches of one process; nothing is written and no weight changes."""
    import torch

    try:
        return _Rehearsal(setup, sizes, progress).run()
    except torch.OutOfMemoryError as exc:
        raise NotMeasuredError("a batch did not fit into the memory of this machine") from exc


@dataclass
class _Rehearsal:
    setup: TrainingSetup
    sizes: StepSizes
    progress: Progress
    seen: list[Batch] = field(default_factory=list)

    def run(self) -> Rehearsed:
        with ExitStack() as opened, memory_of(self.setup.args) as memory:
            for env in self.setup.envs:
                opened.enter_context(env.loaded.held_open())
            self.progress("loading the model", 0, 0)
            with trl_errors():
                trainer = grpo_trainer(self.setup, [], self.seen.append)
            self._check_speed(trainer)
            memory.read_base(trainer)
            with trl_errors():
                step = StepParts(trainer)
            batches = [*self._batches(step, self._groups(trainer.train_dataset))]
            _check([episode for batch in batches for episode in batch.episodes])
            micro = min(self.sizes.micro, len(batches[-1].episodes))
            device = str(trainer.accelerator.device)
            return Rehearsed(batches, micro, memory.used(), device)

    def _check_speed(self, trainer: Any) -> None:
        """Raise where one group of the longest answers would take minutes."""
        rows, most = self.sizes.generations, trainer.max_completion_length
        context = [[next(iter(trainer.eos_token_ids), 0)] * 16] * rows
        for _ in range(2):  # the first is slower
            with _timed() as token:
                trl_facts.generate(trainer, context, 1)
        if token.seconds * most > PATIENCE:
            raise NotMeasuredError(
                f"one token of {rows} answers takes {token.seconds:.1f} s here, so answers of {most:,} tokens could "
                f"take {token.seconds * most / 60:.0f} minutes"
            )

    def _batches(self, step: StepParts, groups: Iterator[list[Any]]) -> Iterator[PlayedBatch]:
        """One group, which also warms everything up, then as many whole batches as there is time for."""
        began = time.perf_counter()
        first = self._played(step, next(groups))
        spent = time.perf_counter() - began
        whole = -(-self.sizes.batch // self.sizes.generations)
        count = max(1, min(whole, int(SECONDS / spent)))
        if spent > SECONDS / 2:  # one more would take too long
            yield first
            return
        for place in range(BATCHES):
            self.progress("measuring", place, BATCHES)
            yield self._played(step, [row for _ in range(count) for row in next(groups)])
            if (time.perf_counter() - began) * (place + 2) / (place + 1) > SECONDS:
                return

    def _played(self, step: StepParts, rows: list[Any]) -> PlayedBatch:
        self.seen.clear()
        with _timed() as whole:
            batch = step.play(rows)
        episodes = [episode for one in self.seen for episode in one.episodes]
        wall = sum(one.wall for one in self.seen)
        writers = [one.figures for one in self.seen if one.figures]
        busy = sum(figures.busy for figures in writers) if writers else whole.seconds - wall
        environment = wall - busy if writers else wall
        with _timed() as gradient:
            step.take_gradient(batch, min(self.sizes.micro, len(rows)))
        with _timed() as optimizer:
            step.step_optimizer()
        return PlayedBatch(
            episodes, lengths_of(batch), whole.seconds, busy, environment, gradient.seconds, optimizer.seconds
        )

    def _groups(self, dataset: Any) -> Iterator[list[Any]]:
        """Groups of rows in an order of their own, or that of a mixture; again from the first after the last."""
        order = list(range(len(dataset)))
        if not self.setup.several:
            random.Random(self.setup.args.seed).shuffle(order)
        while True:
            for place in order:
                yield [dict(dataset[place]) for _ in range(self.sizes.generations)]


@dataclass
class _Timer:
    seconds: float = 0.0


@contextmanager
def _timed() -> Iterator[_Timer]:
    """The seconds until everything is done, on the device too."""
    import torch

    timer, began = _Timer(), time.perf_counter()
    yield timer
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    timer.seconds = time.perf_counter() - began


def _check(episodes: Sequence[Episode]) -> None:
    """Raise where every episode failed."""
    failures = [found for episode in episodes if (found := failure_of(episode))]
    if episodes and len(failures) == len(episodes):
        name = episodes[0].env
        raise EnvironmentFailedError(
            f"All {len(episodes)} episodes of {name} failed, such as with: {failures[0].message}",
            f"Fix it, then see it run: grpo-env eval {name} --model random -n 8.",
        )
