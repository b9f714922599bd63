"""`grpo-env test` on the examples: the processor time of the command and of all its processes."""

import resource
import subprocess
import sys
import time

from tests.benchmarks.table import Table

COMMANDS = (("hotel-v1", ()), ("hotel-v1", ("--quick",)), ("wordle-v1", ()), ("arithmetic-v1", ()))
RUNS = 3


def measure() -> Table:
    """The least of a few runs of each."""
    rows = []
    for env, flags in COMMANDS:
        spent = [_spent(env, *flags) for _ in range(RUNS)]
        worked, took = (min(values) for values in zip(*spent, strict=True))
        rows.append([" ".join(["grpo-env test", env, *flags]), f"{worked:.1f} s", f"{took:.1f} s"])
    return Table(
        "Checking an environment",
        f"`python -m tests.benchmarks testing`, the least of {RUNS} runs; CPU is of the command and all its processes. "
        "On a busy machine checks get more time, and the figures are higher. "
        "To hold for `hotel-v1` on an idle machine: 8 s, and 4 s with `--quick`.",
        ["command", "CPU", "wall"],
        rows,
    )


def _spent(*arguments: str) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "grpo_env_sdk", "test", *arguments, "--json"]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return worked, time.perf_counter() - started
