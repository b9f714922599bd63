"""What an instance and a running episode hold."""

import asyncio
import gc
import tracemalloc

from grpo_env_sdk import load, make
from grpo_env_sdk.policies import Request
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.benchmarks.environments import FiveTurns
from tests.benchmarks.scripted_rollouts import SCRIPTS
from tests.benchmarks.table import Table

COUNT = 1000


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

    def __init__(self) -> None:
        self.waiting = 0
        self.bytes = 0
        self.all_here = asyncio.Event()

    async def respond(self, request: Request) -> Turn:
        """The scripted turn; the last one waits."""
        turn = SCRIPTS[FiveTurns].turns[request.turn]
        if request.turn == 4:
            self.waiting += 1
            if self.waiting == COUNT:
                gc.collect()
                self.bytes, _ = tracemalloc.get_traced_memory()
                self.all_here.set()
            await self.all_here.wait()
        return turn


async def _episode_bytes() -> float:
    loaded = load(FiveTurns)
    rows = loaded.rows("all")[:COUNT]
    policy = Pausing()
    gc.collect()
    tracemalloc.start()
    async for _ in rollouts(loaded, rows, Rollout(policy, concurrency=COUNT), jobs_for(rows)):
        pass
    tracemalloc.stop()
    return policy.bytes / COUNT


def measure() -> Table:
    """KiB an instance and an episode."""
    episode = asyncio.run(_episode_bytes())
    return Table(
        "Memory",
        f"Allocated by Python for each of {COUNT:,} alive at once. An episode in its fifth turn includes its nine "
        "messages and its environment. To hold: 20 KiB beyond the messages.",
        ["what", "KiB each"],
        [
            ["hotel-v1, reset to a row", f"{instance_bytes() / 1024:.1f}"],
            ["a running episode", f"{episode / 1024:.1f}"],
        ],
    )
