"""`python -m tests.soak.playing POOL SECONDS OUTCOMES`: play episodes for so long; a line for each that has ended."""

import asyncio
import sys
import time

from grpo_env_sdk import Limits, load
from grpo_env_sdk.ext import EnvPool, Job, Rollout, rollouts
from grpo_env_sdk.policies import make_policy
from tests.soak.environment import ENV_MEMORY, Rough

CALL_SECONDS = 5.0
WORKERS = 3


def main() -> None:
    """Play the rows again and again, until the time is over and the last episodes have ended."""
    pool, seconds, path = sys.argv[1:]
    asyncio.run(_play(pool, float(seconds), path))


async def _play(pool: str, seconds: float, path: str) -> None:
    loaded = load(Rough)
    rows = loaded.rows("all")
    loaded.pool = EnvPool(pool, WORKERS, ENV_MEMORY, {"ray_address": "local"} if pool == "ray" else {})
    rollout = Rollout(make_policy("echo"), limits=Limits(call_seconds=CALL_SECONDS))
    jobs = _jobs_for(seconds, len(rows))
    with open(path, "w", buffering=1) as outcomes:
        async for episode in rollouts(loaded, rows, rollout, jobs):
            how = episode.stop_reason
            if (error := episode.error) is not None:
                how += f" {error.type} in {error.stage}"
            print(episode.row_index, episode.sample, how, sep="\t", file=outcomes)


def _jobs_for(seconds, rows):
    """Episodes for so many seconds from the moment on at which the pool is ready, before which one is asked for."""
    yield Job(0)
    number, ends = 1, time.monotonic() + seconds
    while time.monotonic() < ends:
        yield Job(number % rows, number // rows)
        number += 1


if __name__ == "__main__":
    main()
