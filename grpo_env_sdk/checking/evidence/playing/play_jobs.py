"""Plays the episodes of a check with the SDK's driver, until the time is used up or an episode hangs."""

from collections.abc import Callable, Iterator
from contextlib import aclosing

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
from grpo_env_sdk.isolation.loops.kept_loops import KeptLoops
from grpo_env_sdk.rollout.driver import Rollout, RowSource
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import check_had_model, rollouts
from grpo_env_sdk.types import Episode


def play_jobs(
    loaded: LoadedEnv,
    rows: RowSource,
    rollout: Rollout,
    jobs: list[Job],
    go_on: Callable[[Job], bool],
    loops: KeptLoops,
) -> list[Episode]:
    """The episodes in the order of their jobs; `go_on` is asked before each job except the first."""
    ended: list[Episode] = []
    hung = False

    def jobs_in_time() -> Iterator[Job]:
        for number, job in enumerate(jobs):
            if hung or (not go_on(job) and number > 0):
                return
            yield job

    async def collect(pool: ThreadPool) -> None:
        nonlocal hung
        try:
            async with aclosing(rollouts(loaded, rows, rollout, jobs_in_time(), pool)) as episodes:
                async for episode in episodes:
                    check_had_model(episode)
                    ended.append(episode)
                    hung = hung or episode.stop_reason == "timeout"
        finally:
            if hasattr(rollout.policy, "close"):
                await rollout.policy.close()

    loops.run(collect)
    if hung:
        loops.close()
    place = {job: number for number, job in enumerate(jobs)}
    return sorted(ended, key=lambda episode: place[Job(episode.row_index, episode.sample)])
