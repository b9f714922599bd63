"""The steps of the asynchronous trainer: rows of tokens, each with as many episodes as fit."""

import math
from dataclasses import dataclass
from typing import Any

from grpo_env_trl.costs.episode_costs import EpisodeCosts
from grpo_env_trl.costs.step_sizes import StepSizes


@dataclass(frozen=True)
class AsyncSteps:
    """What a step of it has, once the length of episodes is known."""

    args: Any
    """The trainer's `AsyncGRPOConfig`."""
    processes: int
    budget: int
    """Tokens of a row; 0 where a row has a fixed number of episodes."""

    def sizes(self, episode: EpisodeCosts) -> StepSizes:
        """Its sizes: the trainer packs a row for each process and pass; a group shares its prompt there."""
        fit = int(self.args.per_device_train_batch_size)
        if self.budget:
            shared = episode.prompt * (1 - 1 / self.args.num_generations)
            fit = max(1, int(self.budget / max(1.0, episode.sampled.value, episode.read.value - shared)))
        accumulated = int(self.args.gradient_accumulation_steps)
        return StepSizes(self.processes, fit, accumulated, fit * accumulated, 1, self.args.num_generations)

    def count(self, sizes: StepSizes, rows: int) -> int:
        """Steps of the whole training, which ends with its epochs unless `max_steps` says otherwise."""
        if self.args.max_steps > 0:
            return int(self.args.max_steps)
        groups = math.ceil(float(self.args.num_train_epochs) * rows)
        return math.ceil(groups * sizes.generations / sizes.sampled)

    def row_tokens(self, episode: EpisodeCosts, sizes: StepSizes) -> tuple[int, int]:
        """The tokens of a row as they are expected, and at most."""
        expected = sizes.micro * (episode.prompt + episode.completion)
        most = sizes.micro * (episode.prompt + self.args.max_completion_length)
        return (min(expected, self.budget), self.budget) if self.budget else (expected, most)
