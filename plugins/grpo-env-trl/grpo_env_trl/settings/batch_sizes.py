"""Checks that batches divide into whole groups, before TRL is imported."""

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.settings.fields import trainer_fields

_FAR = 1000
"""The search for a number that fits ends at so many times the given one."""
_BATCH = ("per_device_train_batch_size", "generation_batch_size", "steps_per_generation")


def check_sizes(asked: Mapping[str, Any], usual: Mapping[str, Any], processes: int | None = None) -> None:
    """Raise where a batch does not divide into whole groups, with the nearest numbers that do.

    Args:
        asked: The fields that the user set; they win over `usual`, and those over TRL's defaults.
        processes: How many train together; the launcher's WORLD_SIZE unless given.
    """
    value = all_values(asked, usual)
    processes = processes or int(os.environ.get("WORLD_SIZE") or 1)
    generations = value["num_generations"]
    if generations is None or generations < 2:
        raise UsageError(
            f"num_generations is {generations}: GRPO compares several completions of one prompt.",
            "Use --num-generations 2 or more; 8 is common.",
        )
    _check_batch(value, processes, generations)
    _check_eval_batch(value, processes, value["num_generations_eval"] or generations)


def sizes_for_rows(
    rows: int, asked: Mapping[str, Any], usual: Mapping[str, Any], processes: int | None = None
) -> dict[str, int]:
    """The sizes to change so that a batch needs no more prompts than there are; empty where none has to, or none can.

    What the user set stays: larger groups fill a batch of the given size, a smaller batch has groups of the given size.
    """
    value = all_values(asked, usual)
    processes = processes or int(os.environ.get("WORLD_SIZE") or 1)
    batch, whole, steps = (value[name] for name in _BATCH)
    steps = steps or value["gradient_accumulation_steps"]
    whole, group = whole or batch * processes * steps, value["num_generations"]
    if whole // group <= rows:
        return {}
    if "num_generations" not in asked:
        prompts = max(count for count in range(1, rows + 1) if whole % count == 0)
        return {"num_generations": whole // prompts}
    if asked.keys() & {*_BATCH, "gradient_accumulation_steps"}:
        return {}
    for together in dict.fromkeys((processes * steps, processes)):
        if prompts := next((count for count in range(rows, 0, -1) if count * group % together == 0), 0):
            size = {"per_device_train_batch_size": prompts * group // together}
            return size if together == processes * steps else {**size, "gradient_accumulation_steps": 1}
    return {}


def all_values(asked: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Every field: what the user set, else what is usual here, else TRL's default."""
    return {name: field.default for name, field in trainer_fields().items()} | dict(usual) | dict(asked)


def _check_batch(value: Mapping[str, Any], processes: int, generations: int) -> None:
    batch, whole, steps = (value[name] for name in _BATCH)
    if whole is not None and steps is not None:
        raise UsageError(
            f"generation_batch_size {whole} and steps_per_generation {steps} cannot both be set.",
            "Remove one of them.",
        )
    if whole is not None:
        _check_whole(whole, batch, processes, generations)
        return
    steps = steps or value["gradient_accumulation_steps"]
    whole = batch * processes * steps
    if whole % generations:
        batches = _nearest(batch, lambda size: size * processes * steps % generations == 0)
        groups = [size for size in _nearest(generations, lambda size: whole % size == 0) if size > 1]
        ways = [f"--per-device-train-batch-size {_either(batches)}"]
        ways += [f"--num-generations {_either(groups)}"] if groups else []
        raise UsageError(
            f"{_product(batch, processes, steps)} does not divide into groups of num_generations {generations}.",
            f"Use {', or '.join(ways)}.",
        )


def _check_whole(whole: int, batch: int, processes: int, generations: int) -> None:
    fits = math.lcm(batch * processes, generations)
    if whole % fits:
        raise UsageError(
            f"generation_batch_size {whole} is not a multiple of both {_product(batch, processes)} and "
            f"num_generations {generations}.",
            f"Use --generation-batch-size {_either(_nearest(whole, lambda size: size % fits == 0))}.",
        )


def _check_eval_batch(value: Mapping[str, Any], processes: int, generations: int) -> None:
    batch, strategy = value["per_device_eval_batch_size"], value["eval_strategy"]
    if getattr(strategy, "value", strategy) == "no" or batch * processes % generations == 0:
        return
    fitting = _either(_nearest(batch, lambda size: size * processes % generations == 0))
    raise UsageError(
        f"per_device_eval_batch_size {batch}{_times(processes, 'processes')} does not divide into groups of "
        f"{generations} completions.",
        f"Use --per-device-eval-batch-size {fitting}, or another --num-generations-eval.",
    )


def _product(batch: int, processes: int, steps: int = 1) -> str:
    """The size of a batch and the numbers that it is the product of."""
    parts = f"per_device_train_batch_size {batch}{_times(processes, 'processes')}{_times(steps, 'steps')}"
    return parts if processes * steps == 1 else f"a batch of {batch * processes * steps} ({parts})"


def _times(number: int, what: str) -> str:
    return f" x {number} {what}" if number > 1 else ""


def _nearest(number: int, fits: Callable[[int], bool]) -> list[int]:
    """The nearest numbers below and above that fit, as far as there are any."""
    below = next((one for one in range(number, 0, -1) if fits(one)), None)
    above = next((one for one in range(number + 1, _FAR * number) if fits(one)), None)
    return [one for one in (below, above) if one is not None]


def _either(numbers: list[int]) -> str:
    return " or ".join(map(str, numbers))
