"""Rollouts whose environment code runs in threads of this process, as evaluation, the checks and `play` start them."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.rollout.driver import Rollout, RowSource, drive
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.types import Episode


def check_scorable(loaded: LoadedEnv) -> None:
    """Raise where the scorer needs the model that is being trained, which no rollout here has."""
    if loaded.traits.uses_model:
        raise UsageError(
            f"{loaded.spec.id} scores with the live model (uses_model), and only training has one.",
            "Train on it, or score without the model.",
        )


async def rollouts(
    loaded: LoadedEnv, rows: RowSource, rollout: Rollout, jobs: Iterable[Job] | None = None
) -> AsyncGenerator[Episode, None]:
    """The records of the episodes, in the order in which they end, environment code in threads of this process."""
    check_scorable(loaded)
    hosts = ThreadHosts(
        loaded, rollout.limits.call_seconds, threads=rollout.concurrency, max_left_behind=rollout.max_left_behind
    )
    try:
        async with aclosing(drive(hosts, rows, rollout, jobs)) as episodes:
            async for episode in episodes:
                yield episode
    finally:
        hosts.close()


async def run_episode(loaded: LoadedEnv, rows: RowSource, rollout: Rollout, job: Job) -> Episode:
    """The record of one episode."""
    async with aclosing(rollouts(loaded, rows, rollout, [job])) as episodes:
        return await anext(episodes)
