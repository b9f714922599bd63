"""A run's transcripts played again on today's environment, and scored by it; the run itself stays as it is."""

import shutil
from dataclasses import replace
from pathlib import Path

from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.plan import plan_of
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rollout.driver import Job
from grpo_env_sdk.runs import Run, create_run
from grpo_env_sdk.types import Episode, Row


class RecordedRows:
    """The rows as they were recorded, so that a dataset that changed since changes no transcript."""

    def __init__(self, episodes: list[Episode]) -> None:
        self._rows = {episode.row_index: episode.row for episode in episodes}
        self.indices = sorted(self._rows)

    def row(self, index: int) -> Row:
        """The row as the run kept it."""
        return self._rows[index]


def rescore(run: Run, out: Path) -> Evaluation:
    """A new run in `out` with the old transcripts and today's scores."""
    loaded = load(run.manifest["env"], run.manifest["config"])
    if not loaded.traits.replayable:
        raise UsageError(
            f"{loaded.spec.id} says that its episodes cannot be replayed (replayable = False).",
            "Evaluate it anew instead.",
        )
    episodes = [episode for episode in run.episodes() if can_be_scored(episode)]
    if not episodes:
        raise UsageError(f"{run.path} has no whole transcript to score.", "Evaluate it first.")
    plan = plan_of(run)
    plan = replace(plan, max_errors=None, limits=replace(plan.limits, tokens=None), policy=PolicySpec("replay"))
    work = Evaluator(loaded, plan, ReplayPolicy(run.manifest["policy"], episodes))
    work.jobs = [Job(episode.row_index, episode.sample, episode.turns) for episode in episodes]
    work.rows = RecordedRows(episodes)
    today = ("env_version", "source_hash", "reward_range", "created", "versions")
    manifest = work.manifest()
    kept = run.manifest | {key: manifest[key] for key in today} | {"rescored_from": str(run.path)}
    try:
        with create_run(out, kept) as writer:
            return run_coroutine(work.run(writer))
    except KeyboardInterrupt:
        shutil.rmtree(out)  # half of a rescoring is of no use, and the run itself is whole
        raise


def can_be_scored(episode: Episode) -> bool:
    """Whether the transcript is whole: it was scored, or failed only in being scored."""
    return episode.scored or (episode.error is not None and episode.error.stage == "score")
