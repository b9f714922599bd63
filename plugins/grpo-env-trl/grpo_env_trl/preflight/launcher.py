"""Whether as many processes train together as the launcher was told to start."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

_WANTED = re.compile(r"--num[-_]processes(?:=(\d+))?")


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What the launcher did otherwise than it was told."""
    args = subject.prepared.args
    told = told_processes(os.environ, _parent_words())
    if told > args.world_size:
        yield mismatch(told, args.world_size, "WORLD_SIZE" in os.environ, args.use_cpu)


def told_processes(environ: Mapping[str, str], parent: Sequence[str]) -> int:
    """How many processes the launcher was told to start, as torchrun tells its children, or accelerate's words say."""
    if environ.get("WORLD_SIZE", "").isdigit():
        return int(environ["WORLD_SIZE"])
    if "launch" not in parent:
        return 1
    for word, following in zip(parent, [*parent[1:], ""], strict=True):
        if found := _WANTED.fullmatch(word):
            number = found.group(1) or following
            return int(number) if number.isdigit() else 1
    return 1


def mismatch(told: int, world: int, apart: bool, use_cpu: bool) -> Problem:
    """The launcher was told of more processes than train together."""
    command = f"torchrun --standalone --nproc_per_node {told} -m grpo_env_sdk train ... --use-cpu"
    if apart and not use_cpu:
        what = f"{told} processes were started, and each would train by itself: there is no GPU for them"
    else:
        what = f"The launcher was told of {told} processes and started {world}"
    return Problem(f"{what}.", f"On a CPU this works: {command}")


def _parent_words() -> list[str]:
    """The command line of the process that started this one."""
    import psutil  # type: ignore[import-untyped]  # it has no types

    try:
        return list(psutil.Process(os.getppid()).cmdline())
    except psutil.Error:
        return []
