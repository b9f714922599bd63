"""Rollouts whose environment code runs in threads of this process, as evaluation, the checks and `play` start them."""

import copy
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
from grpo_env_sdk.policies.live_model import LiveModel
from grpo_env_sdk.rollout.coming_jobs import Jobs
from grpo_env_sdk.rollout.driver import Rollout, RowSource, drive
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.model_needed import WHERE_A_MODEL_IS, ModelNeededError
from grpo_env_sdk.rollout.process_host import ProcessHosts
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.rollout.user_model import user_source
from grpo_env_sdk.types import Episode


def check_scorable(loaded: LoadedEnv, live_model: LiveModel | None = None) -> None:
    """Raise where the class says that its scorer uses the model, and none is at hand."""
    if loaded.traits.uses_model and live_model is None:
        raise ModelNeededError(
            f"{loaded.spec.id} scores with the live model (uses_model), and there is none here.", WHERE_A_MODEL_IS
        )


def check_had_model(episode: Episode) -> None:
    """Raise where an episode shows that its scorer uses a model, and had none: every other one would fail too."""
    if episode.error is not None and episode.error.type == ModelNeededError.__name__:
        raise ModelNeededError(episode.error.message)


async def rollouts(
    loaded: LoadedEnv,
    rows: RowSource,
    rollout: Rollout,
    jobs: Jobs | None = None,
    pool: ThreadPool | None = None,
) -> AsyncGenerator[Episode, None]:
    """The records of the episodes, in the order in which they end, environment code in threads or other processes.

    `jobs` is as for `drive`.
    `pool` has threads that are kept from one call to the next.
    """
    check_scorable(loaded, rollout.live_model)
    live = rollout.live_model or LiveModel()
    opened = user_source(loaded, rollout.policy, rollout.concurrency) if rollout.user is None else None
    if opened is not None:
        rollout = replace(rollout, user=opened)
    hosts = _hosts(loaded, rollout, live, pool)
    try:
        async with aclosing(drive(hosts, rows, rollout, jobs)) as episodes:
            async for episode in episodes:
                yield episode
    finally:
        await hosts.end()
        hosts.close()
        if opened is not None:
            await opened.close()


def _hosts(loaded: LoadedEnv, rollout: Rollout, live: LiveModel, pool: ThreadPool | None) -> ThreadHosts | ProcessHosts:
    if loaded.pool.kind != "thread":
        has_model = live.model is not None
        return ProcessHosts(loaded, rollout.limits.call_seconds, has_model=has_model, tokenizer=live.tokenizer)
    return ThreadHosts(
        loaded, rollout.limits.call_seconds, threads=rollout.concurrency, max_left_behind=rollout.max_left_behind,
        model=live.model, tokenizer=copy.deepcopy(live.tokenizer), around_score=live.around_score, alone=live.alone,
        copies=rollout.copies, pool=pool,
    )  # fmt: skip


async def run_episode(loaded: LoadedEnv, rows: RowSource, rollout: Rollout, job: Job) -> Episode:
    """The record of one episode."""
    async with aclosing(rollouts(loaded, rows, rollout, [job])) as episodes:
        return await anext(episodes)
