"""The transcripts of a run, replayed and scored with the current environment; the run itself is not changed."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.data.rows import Split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import DatasetError, UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.plan import plan_of, tokenizer_in
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.evaluation.score_again import RecordedRows, can_be_scored, check_replayable, replayed_jobs
from grpo_env_sdk.images.run_images import RunImages, references
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.foreign import check_origin, refuse_foreign
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.registry.qualified import check_package, name_in_run
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.runs.continuing import RESUME_WITH
from grpo_env_sdk.runs.integrity import is_sealed
from grpo_env_sdk.runs.new_folders import check_free
from grpo_env_sdk.runs.one_environment import one_environment
from grpo_env_sdk.runs.reading import EPISODES, Run, RunError
from grpo_env_sdk.runs.writing import create_run
from grpo_env_sdk.types import Episode, canonical_json


def rescore(
    run: Run,
    out: Path,
    tokenizer: str | None = None,
    *,
    env: str | None = None,
    trust: bool = False,
    env_retries: int | None = None,
    pool: EnvPool | None = None,
) -> Evaluation:
    """A new run in `out` with the old transcripts and scores of the current environment.

    Where somebody else has written the run, its environment is loaded if `env` names it too. None as `env_retries`
    takes those of the run, as `pool` does, which says where environment code runs.
    """
    run = one_environment(run, env, f"grpo-env rescore {run.path} --env {{}}")
    name = name_in_run(run, env)
    if env is not None and spec(name).id != run.manifest["env"]:
        raise UsageError(f"{run.path} is a run of {run.manifest['env']!r:.100}, not of {env!r}.", "Correct --env.")
    typed = [name for name in (env and run.manifest["env"], tokenizer) if name]
    typed += [] if pool is None else pool.options.values()
    check_origin(run, f"grpo-env rescore {run.path} --env {{}}", typed=typed, trust=trust)
    plan = plan_of(run).in_pool(pool)
    named = tokenizer or tokenizer_in(run.manifest)
    check_package(run, name)
    loaded = load_for(plan.pool, name, run.manifest.get("config"), split=plan.split, tokenizer=named)
    check_replayable(loaded)
    episodes = _complete_episodes(run)
    if not (trust or (run.own and is_sealed(run.path, [EPISODES]))):
        _check_rows(run, episodes, loaded, plan.split)
    images = RunImages(run.path)
    for name in {name for episode in episodes for name in references(episode.row)}:
        images.check(name)
    tries = plan.limits.env_retries if env_retries is None else env_retries
    limits = replace(plan.limits, tokens=None, env_retries=tries)
    plan = replace(plan, max_errors=None, limits=limits, rows=None, policy=PolicySpec("replay"))
    work = Evaluator(loaded, plan, ReplayPolicy(run.manifest["policy"], episodes))
    work.jobs = replayed_jobs(episodes)
    work.rows = RecordedRows(episodes, images.restored)
    try:
        check_free(out)
    except RunError as exc:
        raise RunError(exc.message, "Take another --out.") from exc  # no rescored run is resumed
    try:
        with create_run(out, _manifest(run, work.manifest())) as writer:
            return run_coroutine(work.run(writer))
    except KeyboardInterrupt:
        shutil.rmtree(out)  # remove the incomplete new run; the old one is intact
        raise


def _complete_episodes(run: Run) -> list[Episode]:
    """The episodes of a run that can be scored; raises where there is none, or one without a prompt."""
    episodes = [episode for episode in run.episodes() if can_be_scored(episode)]
    if not episodes:
        raise UsageError(f"{run.path} has no complete transcript to score.", "Finish the evaluation first: --resume.")
    if (bare := next((episode for episode in episodes if "prompt" not in episode.row), None)) is not None:
        raise UsageError(f"{run.path} is damaged: its row {bare.row_index} has no prompt.", "Evaluate it again.")
    return _with_unique_samples(episodes)


def _with_unique_samples(episodes: list[Episode]) -> list[Episode]:
    """The episodes; where a training repeats a sample of a row, its samples are numbered as they come."""
    if len({(episode.row_index, episode.sample) for episode in episodes}) == len(episodes):
        return episodes
    seen = Counter[int]()
    for place, episode in enumerate(episodes):
        episodes[place] = replace(episode, sample=seen[episode.row_index])
        seen[episode.row_index] += 1
    return episodes


def _manifest(run: Run, today: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a run, with what is different today."""
    changed = (
        "env_version", "distribution", "source_hash", "reward_range", "part_ranges", "tokenizer", "created", "versions",
        "requirements",
    )  # fmt: skip
    gone = ("files", "training", RESUME_WITH)  # what is not in the new folder, and that it is no training
    kept = {key: value for key, value in run.manifest.items() if key not in gone}
    return kept | {key: today[key] for key in changed} | {"rescored_from": str(run.path)}


def _check_rows(run: Run, episodes: list[Episode], loaded: LoadedEnv, split: Split) -> None:
    """Raise where a foreign run has a row that the environment has not: some environments run what is in a row."""
    rows = loaded.rows(split)
    for episode in episodes:
        index = episode.row_index
        try:
            today = json.loads(json.dumps(rows.row(index), default=repr))  # as a record keeps it
        except DatasetError:
            today = {}
        if canonical_json(today) != canonical_json(episode.row):
            refuse_foreign(run, f"its row {index} is not that of {loaded.spec.id}")
