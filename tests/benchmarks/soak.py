"""A soak: episodes of which 10% fail, 2% hang and 1% end their process, and whether anything grows meanwhile.

`GRPO_ENV_SOAK_POOL` is `process` (the default) or `ray`, `GRPO_ENV_SOAK_MINUTES` how long (30).
"""

import os
from collections.abc import Callable, Sequence
from statistics import median

from tests.benchmarks.table import Table
from tests.soak.environment import PLANTED
from tests.soak.playing import CALL_SECONDS, WORKERS
from tests.soak.watching import Sample, Soaked, soak

_LOOKS = 180
_FIGURES: dict[str, Callable[[Sample], float]] = {
    "memory of the command, MiB": lambda sample: sample.memory / 2**20,
    "memory of all processes below it, MiB": lambda sample: sample.others_memory / 2**20,
    "processes below it": lambda sample: sample.processes,
    "threads of the command": lambda sample: sample.threads,
    "descriptors of the command": lambda sample: sample.descriptors,
    "temporary files": lambda sample: sample.files,
}


def measure() -> Table:
    """The second tenth of the time, which begins once all is loaded, beside the middle one and the last one."""
    pool = os.environ.get("GRPO_ENV_SOAK_POOL", "process")
    minutes = float(os.environ.get("GRPO_ENV_SOAK_MINUTES", "30"))
    found = soak(pool, minutes * 60, max(1.0, minutes * 60 / _LOOKS))
    tenths = _tenths(found.samples)
    rows = [
        ["episodes a second", *(f"{_rate(tenth, 'seconds'):.1f}" for tenth in tenths)],
        ["episodes a CPU second", *(f"{_rate(tenth, 'cpu_seconds'):.1f}" for tenth in tenths)],
        *(
            [name, *(f"{median(map(figure, tenth)):.1f} (at most {max(map(figure, tenth)):.1f})" for tenth in tenths)]
            for name, figure in _FIGURES.items()
        ),
    ]
    text = (
        f"{minutes:g} minutes on {WORKERS} workers: of the rows 10% fail, 2% hang, and 1% end their process or take "
        f"all of its memory; `--limit-call {CALL_SECONDS:g}`. Medians of what was sampled. {_told(found)} "
        "`make bench` leaves it out: "
        f"`GRPO_ENV_SOAK_POOL={pool} GRPO_ENV_SOAK_MINUTES={minutes:g} python -m tests.benchmarks soak` measures it."
    )
    return Table(f"A soak of `{pool}`", text, ["what", "minutes " + _span(tenths[0]), *map(_span, tenths[1:])], rows)


def _tenths(samples: Sequence[Sample]) -> list[Sequence[Sample]]:
    size = max(2, len(samples) // 10)
    middle = len(samples) // 2
    return [samples[size : 2 * size], samples[middle : middle + size], samples[-size:]]


def _span(tenth: Sequence[Sample]) -> str:
    return f"{tenth[0].seconds / 60:.0f} to {tenth[-1].seconds / 60:.0f}"


def _rate(tenth: Sequence[Sample], clock: str) -> float:
    first, last = tenth[0], tenth[-1]
    return (last.episodes - first.episodes) / (getattr(last, clock) - getattr(first, clock))


def _told(found: Soaked) -> str:
    """How many episodes ended as was planted, by kind, and what was left."""
    played = sum(count for count, _ in found.counted.values())
    right = sum(count for _, count in found.counted.values())
    kinds = ", ".join(f"{kind} {found.counted[kind][1]:,} of {found.counted[kind][0]:,}" for kind in PLANTED)
    wrong = f" Others: {'; '.join(found.wrong[:5])}." if found.wrong else ""
    left = f"Left behind: {', '.join(found.left[:5])}" if found.left else "No process and no file was left"
    return f"{right:,} of {played:,} episodes ended as was planted ({kinds}).{wrong} {left}."
