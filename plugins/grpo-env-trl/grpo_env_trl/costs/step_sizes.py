"""How many episodes a step has, and how many steps a training, over all processes."""

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StepSizes:
    """The sizes that determine what a step costs."""

    processes: int
    micro: int
    """Episodes of one forward and backward pass of a process."""
    accumulated: int
    """Such passes in a step of the optimizer."""
    batch: int
    """Episodes that a process plays before it trains on them."""
    iterations: int
    """How often each episode is trained on."""
    generations: int
    """Episodes of a row."""

    @classmethod
    def of(cls, args: Any, processes: int) -> "StepSizes":
        """Those of a `GRPOConfig`, whose generation batch is that of all processes."""
        return cls(
            processes, args.per_device_train_batch_size, args.gradient_accumulation_steps,
            args.generation_batch_size // processes, args.num_iterations, args.num_generations,
        )  # fmt: skip

    @property
    def played_a_step(self) -> float:
        """How much of a process's batch is played for one step of the optimizer."""
        return self.micro * self.accumulated / (self.batch * self.iterations)

    @property
    def sampled(self) -> float:
        """Episodes that all processes play for one step of the optimizer."""
        return self.played_a_step * self.batch * self.processes

    @property
    def trained(self) -> int:
        """Episodes that all processes train on in one step of the optimizer."""
        return self.micro * self.accumulated * self.processes

    def steps(self, args: Any, rows: int) -> int:
        """Steps of the optimizer in the whole training, as TRL's sampler and transformers' loop count them."""
        if args.max_steps > 0:
            return int(args.max_steps)
        batches = rows // max(1, self.batch * self.processes // self.generations)
        passes = batches * self.iterations * self.batch // self.micro
        return math.ceil(float(args.num_train_epochs) * max(1, math.ceil(passes / self.accumulated)))
