"""What an instance and a running episode hold."""

import asyncio
import gc
import resource
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

from grpo_env_sdk import load, make
from grpo_env_sdk.policies import Request
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.benchmarks.environments import ROWS, FiveTurns
from tests.benchmarks.scripted_rollouts import SCRIPTS
from tests.benchmarks.table import Table

COUNT = 1000
MANY = 10_000


def instance_bytes() -> float:
    """What one more `hotel-v1` takes, reset to a row."""
    loaded = load("hotel-v1")
    rows = loaded.rows("test")
    row = rows[0]
    make("hotel-v1").reset(options=row)
    gc.collect()
    tracemalloc.start()
    kept = []
    for _ in range(COUNT):
        kept.append(loaded.instance())
        kept[-1].reset(seed=1, options=row)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / len(kept)


class Pausing:
    """Waits in its last turn until every episode is there, so that all are alive at once."""

    name = "pausing"

    def __init__(self, count: int) -> None:
        self.count = count
        self.waiting = self.threads = 0
        self.bytes = self.message_bytes = 0
        self.all_here = asyncio.Event()

    async def respond(self, request: Request) -> Turn:
        """The scripted turn; the last one waits."""
        turn = SCRIPTS[FiveTurns].turns[request.turn]
        self.threads = max(self.threads, threading.active_count())
        if request.turn == 4:
            self.waiting += 1
            self.message_bytes = max(self.message_bytes, _size(request.messages))
            if self.waiting == self.count:
                self.bytes = _held()
                self.all_here.set()
            await self.all_here.wait()
        return turn


def _size(value: Any) -> int:
    """The bytes of a value of JSON; texts that are constants of the script count too."""
    inside = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sys.getsizeof(value) + sum(map(_size, inside))


async def alive(count: int) -> Pausing:
    """What so many episodes hold, each in its fifth turn."""
    loaded = load(FiveTurns)
    rows = loaded.rows("all")[: min(count, ROWS)]
    policy = Pausing(count)
    if count < MANY:
        tracemalloc.start()
    before, jobs = _held(), jobs_for(rows, count // len(rows))
    async for _ in rollouts(loaded, rows, Rollout(policy, concurrency=count), jobs):
        pass
    tracemalloc.stop()
    policy.bytes -= before
    return policy


def _held() -> int:
    """What Python has allocated, or else what the process has in memory: tracing takes minutes for many episodes."""
    gc.collect()
    if tracemalloc.is_tracing():
        return tracemalloc.get_traced_memory()[0]
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def measure() -> Table:
    """KiB an instance and an episode."""
    few, many = (asyncio.run(alive(count)) for count in (COUNT, MANY))
    return Table(
        "Memory",
        "Allocated by Python for each of those alive at once; for 10,000 what the process takes from the system. "
        f"An episode in its fifth turn includes its nine messages ({few.message_bytes / 1024:.1f} KiB) and its "
        "environment. To hold: 20 KiB beyond the messages, 256 threads and the main one.",
        ["what", "KiB each", "most threads"],
        [
            ["hotel-v1, reset to a row", f"{instance_bytes() / 1024:.1f}", ""],
            *(
                [
                    f"a running episode, {each.count:,} at once",
                    f"{each.bytes / each.count / 1024:.1f}",
                    str(each.threads),
                ]
                for each in (few, many)
            ),
        ],
    )


def _row(each: Pausing) -> list[str]:
    kib = each.bytes / each.count / 1024
    return [f"a running episode, {each.count:,} at once", f"{kib:.1f}", str(each.threads)]
