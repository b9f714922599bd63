"""Rows whose environment code was at work when a run died: where the rest is played, and what is said of them."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.evaluation.plan import fields_of
from grpo_env_sdk.isolation.processes.env_pool import MOST_AFTER_DEATH, EnvPool
from grpo_env_sdk.rollout.commands import Done, Failed
from grpo_env_sdk.rollout.driver import RowSource
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.runs.live_rows import LiveRow, ended_in, forget, left_in
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.runs.writing import revise
from grpo_env_sdk.types import Episode, Fault


def suspects_of(run: Run) -> list[LiveRow]:
    """The rows without a record whose environment code was at work when the run died."""
    if not (found := left_in(run.path)):
        return []
    done = {(episode.row_index, episode.sample) for episode in run.episodes()}
    return [one for one in found if (one.row_index, one.sample) not in done]


def pool_for(
    suspects: Sequence[LiveRow], asked: EnvPool | None, give_up: Collection[int], concurrency: int
) -> EnvPool | None:
    """Where the rest is played: in processes if a row may end this one, unless the user says otherwise."""
    if asked is not None or all(one.row_index in give_up for one in suspects):
        return asked
    return EnvPool("process", min(concurrency, MOST_AFTER_DEATH))


@contextmanager
def explaining(suspects: Sequence[LiveRow], run: Run, asked: EnvPool | None) -> Iterator[None]:
    """Say why an environment is to run in processes, and what else can be done, where it cannot."""
    try:
        yield
    except UsageError as exc:
        if not suspects or asked is not None or "--env-pool" not in str(exc):
            raise
        rows = ",".join(dict.fromkeys(str(one.row_index) for one in suspects))
        raise UsageError(
            f"{ended_in(run.path, suspects)}, so the rest would run in worker processes. {exc.message}",
            f"Leave these rows out: --resume {run.path} --give-up {rows}. Or risk it: --env-pool thread.",
        ) from exc


def note_suspects(suspects: Sequence[LiveRow], run: Run, pool: EnvPool) -> None:
    """Say where the rest is played and why, and keep that in the run: it may be resumed again."""
    if suspects:
        if pool.kind != "thread":
            revise(run, plan={**run.manifest["plan"], **fields_of(pool)})
        where = f"worker processes: --env-pool {pool.kind}"
        how = "threads, as asked, so it may end the same way" if pool.kind == "thread" else where
        warnings.warn(
            f"{ended_in(run.path, suspects)}. The rest runs in {how}.",
            GrpoEnvWarning,
            stacklevel=3,
        )
    forget(run.path)


def check_given_up(rows: Collection[int], jobs: Sequence[Job]) -> frozenset[int]:
    """The rows that are given up; raises where there is no such row."""
    there = {job.row_index for job in jobs}
    if unknown := sorted(set(rows) - there):
        raise UsageError(
            f"--give-up {unknown[0]}: the run has no such row.", f"It has rows {min(there)} to {max(there)}."
        )
    return frozenset(rows)


def note_recorded(rows: Collection[int], jobs: Sequence[Job], run: Run) -> None:
    """Say so where rows that are given up have all their records already."""
    done = {(episode.row_index, episode.sample) for episode in run.episodes()} if rows else set()
    left = {job.row_index for job in jobs if (job.row_index, job.sample) not in done}
    if recorded := sorted(set(rows) - left):
        text = f"--give-up {','.join(map(str, recorded))} has no effect: what was played there is recorded and stays."
        warnings.warn(text, GrpoEnvWarning, stacklevel=3)


def given_up(env: EnvDescription, rows: RowSource, job: Job) -> Episode:
    """The record of an episode that was not played."""
    live = LiveEpisode(env, rows.row(job.row_index), row_index=job.row_index, sample=job.sample)
    live.start()
    told = f"Row {job.row_index} was given up: the process ended while environment code may have worked on it."
    ended = live.feed(Failed("env_error", Fault("environment", "episode", "ProcessEndedError", told), "environment"))
    assert isinstance(ended, Done)
    return ended.episode
