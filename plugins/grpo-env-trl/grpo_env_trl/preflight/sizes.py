"""Whether there are rows enough for one batch."""

from collections.abc import Iterator
from typing import Any

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What else is wrong with the sizes, now that TRL has worked them out."""
    prepared = subject.prepared
    args, there = prepared.args, len(prepared.rows)
    needed = args.generation_batch_size // args.num_generations
    if there < needed:
        yield too_few_rows(there, needed, args, cut=prepared.settings.rows is not None)


def too_few_rows(there: int, needed: int, args: Any, cut: bool) -> Problem:
    """Fewer rows than one generation batch takes, from which TRL's sampler would draw nothing at all."""
    rest = args.world_size * args.steps_per_generation
    fitting = [
        batch
        for batch in range(1, args.per_device_train_batch_size)
        if batch * rest % args.num_generations == 0 and batch * rest // args.num_generations <= there
    ]
    ways = [f"--per-device-train-batch-size {fitting[-1]}"] if fitting else ["fewer --gradient-accumulation-steps"]
    ways.append(f"--rows {needed} or more" if cut else "build more rows")
    return Problem(
        f"There are {there} rows to train on, and one batch takes {needed} (generation_batch_size "
        f"{args.generation_batch_size}, num_generations {args.num_generations}): not one step would be made.",
        f"Take {', or '.join(ways)}.",
    )
