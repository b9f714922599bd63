"""The steps of the asynchronous trainer: rows of tokens, each with as many episodes as fit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import fmean
from typing import Any

from grpo_env_trl.costs.episode_costs import EpisodeCosts
from grpo_env_trl.costs.step_sizes import StepSizes


@dataclass(frozen=True)
class Prompts:
    """How much of the prompts a row has once: it keeps what sequences begin with together."""

    mean: float
    """Tokens of a prompt."""
    common: int
    """Tokens that all of them begin with."""

    @classmethod
    def of(cls, seen: Sequence[list[int]]) -> "Prompts":
        """Those of some rendered prompts."""
        if not seen:
            return cls(0.0, 0)
        first, last = min(seen), max(seen)  # what these two begin with, all do
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
        return cls(fmean(map(len, seen)), common)


@dataclass(frozen=True)
class AsyncSteps:
    """What a step of it has, once the length of episodes is known."""

    args: Any
    """The trainer's `AsyncGRPOConfig`."""
    processes: int
    budget: int
    """Tokens of a row; 0 where a row has a fixed number of episodes."""
    prompts: Prompts

    def sizes(self, episode: EpisodeCosts) -> StepSizes:
        """Its sizes: the trainer packs a row for each process and pass."""
        fit = int(self.args.per_device_train_batch_size)
        if self.budget:
            fit = max(1, int((self.budget - self.prompts.common) / self._own(episode)))
        accumulated = int(self.args.gradient_accumulation_steps)
        return StepSizes(self.processes, fit, accumulated, fit * accumulated, 1, self.args.num_generations)

    def count(self, sizes: StepSizes, rows: int) -> int:
        """Steps of the whole training, which ends with its epochs unless `max_steps` says otherwise."""
        if self.args.max_steps > 0:
            return int(self.args.max_steps)
        groups = math.ceil(float(self.args.num_train_epochs) * rows)
        return math.ceil(groups * sizes.generations / sizes.sampled)

    def row_tokens(self, episode: EpisodeCosts, sizes: StepSizes) -> tuple[float, float]:
        """The tokens of a row as they are expected, and at most."""
        expected = self.prompts.common + sizes.micro * self._own(episode)
        most = sizes.micro * (episode.prompt + self.args.max_completion_length)
        return (min(expected, self.budget), self.budget) if self.budget else (expected, most)

    def _own(self, episode: EpisodeCosts) -> float:
        """The tokens that one more episode adds to a row: its group shares what its prompt has for itself."""
        prompt: float = (self.prompts.mean - self.prompts.common) / self.args.num_generations
        return max(1.0, prompt + episode.read.value - self.prompts.mean)
