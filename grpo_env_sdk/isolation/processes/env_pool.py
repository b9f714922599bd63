"""Where environment code runs: threads of this process, worker processes, a sandbox, or what plugins bring."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.processes.child_environ import without_secrets
from grpo_env_sdk.isolation.sandbox.server_in_sandbox import sandbox_prefix

PROCESSES = 'With --env-pool process, in Python EnvPool("process"), it costs its own episode alone.'
"""The hint where code hangs that threads cannot stop."""
PoolKind = str
"""The name of a pool."""
MOST_AFTER_DEATH = 64
"""The most worker processes of a run that was not meant for them: as many episodes as threads play, without a flag."""
_MOST_GB = 1e9
POOLS: tuple[PoolKind, ...] = ("thread", "process", "sandbox")
"""The pools of the SDK itself; `registry.pools` knows those of plugins too."""


@dataclass(frozen=True, slots=True)
class EnvPool:
    """`kind` of the pool, its worker processes (None: one for each core), and the memory of each in GB."""

    kind: PoolKind = "thread"
    count: int | None = None
    memory: float | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    """What the flags of a plugin's pool say, such as `{"ray_address": "auto"}`."""

    def __post_init__(self) -> None:
        count = self.count
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            raise UsageError(f"env_workers must be a whole number from 1, got {count!r:.80}.", "None is one a core.")
        memory = self.memory
        a_number = isinstance(memory, int | float) and not isinstance(memory, bool)
        if memory is not None and not (a_number and 0 < memory <= _MOST_GB):
            raise UsageError(f"env_memory must be a number above 0, got {memory!r:.80}.", "It is in GB: 2, or 0.5.")
        if self.kind == "thread" and not (count is None and memory is None):
            name = "env_memory" if count is None else "env_workers"
            hint = 'Set --env-pool process, in Python EnvPool("process"), or leave it out.'
            raise UsageError(f"{name} is for worker processes, and there are none in the pool 'thread'.", hint)

    @property
    def workers(self) -> int:
        """The most worker processes, and so the most live episodes."""
        return self.count or len(os.sched_getaffinity(0))

    @property
    def memory_bytes(self) -> int:
        """The memory that one worker may have; half of the machine's where nobody says."""
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return physical // 2 if self.memory is None else int(self.memory * 1e9)

    def launch(self, models: Iterable[str] = ()) -> dict[str, Any]:
        """How the process is started that workers are forked from; it can read the files of these models."""
        if self.kind != "sandbox":
            return {}
        return {"prefix": sandbox_prefix(models), "environ": without_secrets(os.environ)}


THREADS = EnvPool()
"""Threads of this process."""
