"""The transcripts of a run, replayed and scored with the current environment; the run itself is not changed."""

import shutil
from dataclasses import replace
from pathlib import Path

from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.plan import plan_of, tokenizer_in
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.runs import Run, create_run
from grpo_env_sdk.types import Episode, Row


class RecordedRows:
    """The rows as the run recorded them, even if the dataset has changed since."""

    def __init__(self, episodes: list[Episode]) -> None:
        self._rows = {episode.row_index: episode.row for episode in episodes}
        self.indices = sorted(self._rows)

    def row(self, index: int) -> Row:
        """The recorded row."""
        return self._rows[index]


def rescore(run: Run, out: Path, tokenizer: str | None = None) -> Evaluation:
    """A new run in `out` with the old transcripts and scores of the current environment."""
    loaded = load(run.manifest["env"], run.manifest["config"], tokenizer=tokenizer or tokenizer_in(run.manifest))
    if not loaded.traits.replayable:
        raise UsageError(
            f"The episodes of {loaded.spec.id} cannot be replayed (replayable = False).",
            "Evaluate it again instead.",
        )
    episodes = [episode for episode in run.episodes() if can_be_scored(episode)]
    if not episodes:
        raise UsageError(f"{run.path} has no complete transcript to score.", "Finish the evaluation first: --resume.")
    plan = plan_of(run)
    plan = replace(plan, max_errors=None, limits=replace(plan.limits, tokens=None), policy=PolicySpec("replay"))
    work = Evaluator(loaded, plan, ReplayPolicy(run.manifest["policy"], episodes))
    work.jobs = [Job(episode.row_index, episode.sample, episode.turns) for episode in episodes]
    work.rows = RecordedRows(episodes)
    today = ("env_version", "source_hash", "reward_range", "tokenizer", "created", "versions")
    manifest = work.manifest()
    kept = run.manifest | {key: manifest[key] for key in today} | {"rescored_from": str(run.path)}
    try:
        with create_run(out, kept) as writer:
            return run_coroutine(work.run(writer))
    except KeyboardInterrupt:
        shutil.rmtree(out)  # remove the incomplete new run; the old one is intact
        raise


def can_be_scored(episode: Episode) -> bool:
    """Whether the transcript is complete: it was scored, or only its scoring failed."""
    return episode.scored or (episode.error is not None and episode.error.stage == "score")
