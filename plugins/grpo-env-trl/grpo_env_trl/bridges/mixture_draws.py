"""Which row of which environment comes next, drawn before a training begins, so that ranks and resumes agree."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_trl.env_weights import Weight


@dataclass(frozen=True)
class DrawCounts:
    """How many prompts a training draws, and how many belong to one generation."""

    generations: int
    prompts: int
    """Prompts of one generation batch."""
    batches: int
    """Optimizer batches, forward passes, that learn from one generation."""
    accumulated: int
    """Forward passes of one step."""

    @classmethod
    def of(cls, args: Any, rows: int, processes: int) -> "DrawCounts":
        """Those of TRL's arguments, whose generation batch is that of all processes.

        `rows` are those of all environments, which make an epoch.
        """
        prompts = args.generation_batch_size // args.num_generations
        passes = args.generation_batch_size // (args.per_device_train_batch_size * processes)
        batches = args.num_iterations * passes
        accumulated = args.gradient_accumulation_steps
        if args.max_steps > 0:
            generations = -(-args.max_steps * accumulated // batches)
        else:
            generations = int(rows * args.num_train_epochs) // prompts
        return cls(max(1, generations), prompts, batches, accumulated)

    @property
    def steps(self) -> int:
        """The optimizer steps of a training by epochs."""
        return max(1, self.generations * self.batches // self.accumulated)

    def step_of(self, generation: int) -> int:
        """The step in which a generation is learned from first."""
        return generation * self.batches // self.accumulated


def steps_of(args: Any, rows: int, processes: int) -> int:
    """The optimizer steps of a training on several environments, which have so many rows."""
    return int(args.max_steps) if args.max_steps > 0 else DrawCounts.of(args, rows, processes).steps


def drawn(
    sizes: Sequence[int], names: Sequence[str], weights: Sequence[Weight], counts: DrawCounts, seed: int | None
) -> list[int]:
    """The places of the rows of all environments, one after another, in the order in which they are trained on.

    Every generation has the environments by weight, and what cannot be shared out is carried over. The rows of an
    environment come in an order of its own, shuffled again each time that all have come; with a seed of None they are
    not shuffled. A longer training begins with the same rows.
    """
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    steps = (counts.step_of(generation) for generation in range(counts.generations) for _ in range(counts.prompts))
    return [starts[which] + place for which, place in draws(sizes, names, weights, steps, seed)]


def draws(
    sizes: Sequence[int], names: Sequence[str], weights: Sequence[Weight], steps: Iterable[int], seed: int | None
) -> Iterator[tuple[int, int]]:
    """Which environment, and which of its rows, comes next; `steps` has the step in which each is trained."""
    decks = [_deck(size, None if seed is None else f"{seed} {name}") for size, name in zip(sizes, names, strict=True)]
    owed = [0.0] * len(sizes)
    for step in steps:
        now = [weight.at(step) for weight in weights]
        parts = [weight / max(now) for weight in now]  # first, as a sum of huge weights has no end
        shares = [part / sum(parts) for part in parts]
        owed = [debt + share for debt, share in zip(owed, shares, strict=True)]
        which = max((place for place, share in enumerate(shares) if share), key=owed.__getitem__)
        owed[which] -= 1
        yield which, next(decks[which])


def _deck(size: int, seed: str | None) -> Iterator[int]:
    """Every place once, and then again, without end."""
    rounds = 0
    while True:
        places = list(range(size))
        if seed is not None:
            random.Random(f"{seed} {rounds}").shuffle(places)
        yield from places
        rounds += 1
