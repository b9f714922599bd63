"""Where environment code runs: threads of this process, worker processes, or worker processes in a sandbox."""

import os
from dataclasses import dataclass
from typing import Any, Literal, get_args

from grpo_env_sdk.errors import UsageError, did_you_mean

PoolKind = Literal["thread", "process"]
POOLS: tuple[PoolKind, ...] = get_args(PoolKind)


@dataclass(frozen=True, slots=True)
class EnvPool:
    """`kind` of the pool, its worker processes (None: one for each core), and the memory of each in GB."""

    kind: PoolKind = "thread"
    count: int | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in POOLS:
            hint = did_you_mean(str(self.kind), POOLS) or f"There are {', '.join(POOLS)}."
            raise UsageError(f"No environment pool named {self.kind!r:.80}.", hint)
        count = self.count
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            raise UsageError(f"env_workers must be a whole number from 1, got {count!r:.80}.", "None is one a core.")
        if count is not None and self.kind == "thread":
            raise UsageError("env_workers is for worker processes.", "Add --env-pool process.")

    @property
    def workers(self) -> int:
        """The most worker processes, and so the most live episodes."""
        return self.count or len(os.sched_getaffinity(0))

    @property
    def memory_bytes(self) -> int:
        """The memory that one worker may have; half of the machine's where nobody says."""
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return physical // 2 if self.memory is None else int(self.memory * 1e9)

    def launch(self) -> dict[str, Any]:
        """How the process is started that workers are forked from."""
        return {}


THREADS = EnvPool()
"""Threads of this process."""
