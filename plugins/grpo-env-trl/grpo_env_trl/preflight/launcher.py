"""Checks that as many processes train together as the launcher was asked to start."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

_WANTED = re.compile(r"--num[-_]processes(?:=(\d+))?")


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """A launcher that started fewer processes than requested, or processes that do not train together."""
    args = planned.setup.args
    requested = planned.setup.settings.num_processes or requested_processes(os.environ, _parent_words())
    if requested != args.world_size:
        yield mismatch(requested, args.world_size, "WORLD_SIZE" in os.environ, args.use_cpu)


def requested_processes(environ: Mapping[str, str], parent: Sequence[str]) -> int:
    """How many processes were requested: WORLD_SIZE of torchrun, or --num_processes of `accelerate launch`."""
    if environ.get("WORLD_SIZE", "").isdigit():
        return int(environ["WORLD_SIZE"])
    if "launch" not in parent:
        return 1
    for word, following in zip(parent, [*parent[1:], ""], strict=True):
        if found := _WANTED.fullmatch(word):
            number = found.group(1) or following
            return int(number) if number.isdigit() else 1
    return 1


def mismatch(requested: int, world: int, separate: bool, use_cpu: bool) -> Problem:
    """More processes were requested than train together."""
    command = f"grpo-env train ... --num-processes {requested}"
    if separate and not use_cpu:
        what = f"{requested} processes were started, and each would train on its own: there is no GPU for them"
        way = "Add --use-cpu, or start them with"
    else:
        what = f"{requested} processes were requested, but the launcher started {world}"
        way = "This starts them"
    return Problem(f"{what}.", f"{way}: {command}")


def _parent_words() -> list[str]:
    """The command line of the process that started this one."""
    import psutil  # type: ignore[import-untyped]  # it has no types

    try:
        return list(psutil.Process(os.getppid()).cmdline())
    except psutil.Error:
        return []
