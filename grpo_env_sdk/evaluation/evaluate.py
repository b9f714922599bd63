"""An evaluation: many episodes of one environment by one policy, summarised, and kept on disk if asked to."""

import asyncio
import contextlib
import warnings
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.data.rows import Rows, Split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.evaluation.argument_names import ARGUMENTS
from grpo_env_sdk.evaluation.columns import check_column
from grpo_env_sdk.evaluation.error_limit import check_errors
from grpo_env_sdk.evaluation.metrics import Metrics, Prices
from grpo_env_sdk.evaluation.plan import EvalPlan, check_out, manifest_of, prices_of
from grpo_env_sdk.evaluation.policy_identity import version_of_policy
from grpo_env_sdk.evaluation.progress import shown
from grpo_env_sdk.evaluation.replaying import check_replay
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.evaluation.suspects import given_up
from grpo_env_sdk.evaluation.unanswered import Unanswered
from grpo_env_sdk.flags_as_arguments import naming_arguments
from grpo_env_sdk.isolation.author_code.arguments import suggesting_names
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.processes.env_pool import PoolKind
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.policies import Policy, Sampling, make_policy
from grpo_env_sdk.policies.given_policy import PolicyFunction, policy_of
from grpo_env_sdk.policies.live_model import LiveModel, live_model_of
from grpo_env_sdk.policies.make import PolicySpec, has_live_model, tokenizer_for
from grpo_env_sdk.policies.policy import UnusablePolicyError, close_policy
from grpo_env_sdk.registry.plugins import call_each
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.rollout.driver import Rollout, RowSource, jobs_for
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import check_had_model, check_scorable, rollouts
from grpo_env_sdk.rollout.process_order import check_pool
from grpo_env_sdk.rollout.user_model import user_source
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.new_folders import new_folder, take_folder
from grpo_env_sdk.runs.reading import MANIFEST, RunError, open_run
from grpo_env_sdk.runs.writing import RunWriter, create_run, resume_run
from grpo_env_sdk.types import Episode

_CLOSE_SECONDS = 60.0
"""What closing a policy may take at least: a model may have to end a batch first."""
_MOST_EPISODES = 10_000_000
"""Of more, each with a place in the memory from the start, nobody would see the end."""


@suggesting_names
@naming_arguments(ARGUMENTS.get)
def evaluate(
    env: Any,
    policy: str | Policy | PolicyFunction = "gold",
    *,
    config: dict[str, Any] | None = None,
    split: Split = "test",
    rows: int | Sequence[int] | None = None,
    samples: int = 1,
    sampling: Sampling | None = None,
    limits: Limits | None = None,
    concurrency: int = 64,
    max_errors: float | None = None,
    pass_at: float | None = None,
    by: str | None = None,
    cluster: str | None = None,
    prices: tuple[float, float] | Prices | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    base_url: str | None = None,
    tokenizer: Any = None,
    user: str | PolicySpec | Policy | PolicyFunction | None = None,
    env_pool: PoolKind = "thread",
    env_workers: int | None = None,
    env_memory: float | None = None,
    env_pool_options: Mapping[str, str] | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Measure a policy on an environment; nothing is written unless `out` names a folder.

    ```python
    evaluate("hotel-v1", "gold", rows=50).summary["reward"]["mean"]
    ```

    Args:
        env: An environment's name, import path, class or instance.
        policy: A name as after `--model`, a function of the request, or an object with a name and an async `respond`.
        config: Arguments for the constructor of the environment.
        split: Which rows: `test`, `train` or `all`.
        rows: The first so many of them, or a list with the index of each, such as `[3, 4, 9]`; None takes all.
        samples: Episodes of each row.
        sampling: How the policy samples, such as `Sampling(temperature=0.7)`.
        limits: How far an episode may go, such as `Limits(turns=5)`.
        concurrency: Episodes that run at once.
        max_errors: Stop at so many failed episodes, or at a share below 1 of them.
        pass_at: The reward that counts as a pass; None takes the top of the reward range.
        by: A column: `summary` gets the mean reward for each of its values.
        cluster: A column: rows with the same value in it, such as a document, count as one for the intervals.
        prices: What a million prompt tokens and a million completion tokens cost.
        out: A folder for the run, which `grpo-env view` and `open_run` read.
        resume: Play what is missing in the run that `out` has, if there is one; else begin it.
        base_url: Where the server of an `openai:` policy is.
        tokenizer: For a `build_dataset` that uses it: a tokenizer, or the name of its model. None takes that of the
            policy's model.
        user: Who speaks for the user in place of the policy that the class's `ModelUser` names.
        env_pool: Where environment code runs: `thread`, or `process` for worker processes.
        env_workers: The most worker processes, and so live episodes; None is one for each core.
        env_memory: The most memory of a worker process in GB; None is half of the machine's.
        env_pool_options: The flags of a plugin's pool, such as `{"ray_address": "auto"}`.
        progress: Show on stderr how far it is; None does so in interactive Python, such as a notebook.
    """
    check_out(out, resume)
    given = None if isinstance(policy, str) else policy_of(policy)
    plan = EvalPlan(
        policy=PolicySpec(str(policy) if given is None else given.name, base_url), split=split, rows=rows,
        sampling=Sampling() if sampling is None else sampling, limits=Limits() if limits is None else limits,
        samples=samples, concurrency=concurrency, max_errors=max_errors, pass_at=pass_at, by=by, cluster=cluster,
        prices=prices_of(prices), env_pool=env_pool, env_workers=env_workers, env_memory=env_memory,
        env_pool_options=env_pool_options or {},
    )  # fmt: skip
    builds_rows = tokenizer_for(plan.policy.model if given is None else given) if tokenizer is None else tokenizer
    loaded = load_for(plan.pool, env, config, split=split, rows=plan.most_rows, tokenizer=builds_rows, user=user)
    evaluator = Evaluator(loaded, plan, given)
    evaluator.check_replay(force=given is not None)
    kept: list[Episode] | None = [] if out is None else None
    showing = shown(loaded.spec.id, len(evaluator.jobs), progress, kept)
    manifest = evaluator.manifest()
    if out is None:
        with showing as seen:
            return replace(run_coroutine(evaluator.run(None, seen)), kept=kept, manifest=manifest)
    folder = Path(out)
    is_there = (folder / MANIFEST).exists()
    if is_there and not resume:
        raise RunError(f"{str(folder)!r} already has a run.", "resume=True plays what it lacks, or take another out.")
    with resume_run(open_run(folder), manifest) if is_there else create_run(folder, manifest) as writer:
        try:
            with showing as seen:
                return run_coroutine(evaluator.run(writer, seen))
        except KeyboardInterrupt:
            done = f"{evaluator.tally.episodes} of {len(evaluator.jobs)} episodes are in {folder}"
            raise KeyboardInterrupt(f"{done}; evaluate(..., resume=True) plays the others.") from None


class Evaluator:
    """One evaluation, from its plan to its summary."""

    def __init__(
        self, loaded: LoadedEnv, plan: EvalPlan, policy: Policy | None = None, live_model: LiveModel | None = None,
        when_quiet: Callable[[], None] | None = None, rows: Rows | None = None,
    ) -> None:  # fmt: skip
        """`live_model` is what scorers may use; None takes the model of the policy. `when_quiet` is as in `Rollout`.

        `rows` are measured in place of the plan's.
        """
        self.loaded = loaded
        self.plan = plan = replace(plan, limits=plan.limits.of(loaded.description)).in_pool(loaded.pool)
        chosen = _chosen(loaded, plan) if rows is None else rows
        if len(chosen.indices) * plan.samples > _MOST_EPISODES:
            said = f"{plan.samples} samples of each of {len(chosen.indices)} rows"
            raise UsageError(f"{said} are more than {_MOST_EPISODES} episodes.", "Take fewer samples or rows.")
        self.rows: RowSource = chosen
        self._own_policy = policy is not None
        if not (self._own_policy or live_model or has_live_model(plan.policy.model)):
            check_scorable(loaded)  # before a vLLM has started, which takes minutes
        self.policy = make_policy(replace(plan.policy, concurrency=plan.concurrency)) if policy is None else policy
        self.user = user_source(loaded, self.policy, plan.concurrency)
        self.live_model = live_model or live_model_of(self.policy)
        self._when_quiet = when_quiet
        self.jobs = jobs_for(chosen, plan.samples)
        self._fingerprint = chosen.fingerprint
        parts = {reward.name: reward.range for reward in loaded.description.score_rule.parts}
        self.tally = Metrics(loaded.traits.reward_range, plan.pass_at, plan.by, plan.prices, parts, plan.cluster)
        check_scorable(loaded, self.live_model)
        check_pool(loaded)
        if plan.policy.model == "gold" and not self._own_policy and not loaded.traits.solvable:
            raise UsageError(
                f"{loaded.spec.id} has no solve(row), so no gold answers.",
                "Write one, such as `return row['answer']`, or use another --model.",
            )
        self.interrupted = False
        self.given_up: frozenset[int] = frozenset()
        """Rows that are recorded as failed, and not played."""
        self._task: asyncio.Task[Any] | None = None
        for flag, column in (("--by", plan.by), ("--cluster", plan.cluster)):
            check_column(flag, column, chosen.columns)

    def check_replay(self, force: bool = False) -> None:
        """Raise where a run that is replayed is of another environment, unless forced, or has none of the episodes."""
        check_replay(self.loaded.spec, self.jobs, self.policy, force)

    def manifest(self) -> dict[str, Any]:
        """The manifest of the run: what it measures and with which versions, without secrets."""
        own = self.policy if self._own_policy else None
        manifest = manifest_of(self.loaded, self.plan, len(self.rows.indices), self._fingerprint(), own)
        return {**manifest, "policy_version": version_of_policy(self.policy)}

    async def run(self, writer: RunWriter | None, seen: Callable[[Episode, Metrics], None] | None = None) -> Evaluation:
        """Run the missing episodes, write each record when it ends, and summarise."""
        jobs = self._missing(writer)
        self._task = asyncio.current_task()
        unanswered = Unanswered()
        before = self.loaded.live_rows  # of a training, which this is a part of
        self.loaded.live_rows = before or (writer.live_rows if writer else None)
        try:
            for job in [job for job in jobs if job.row_index in self.given_up]:
                jobs.remove(job)
                self._keep(given_up(self.loaded.description, self.rows, job), writer, seen)
            async with contextlib.aclosing(self._episodes(jobs)) as episodes:
                async for episode in episodes:
                    for answered in unanswered.add(episode):
                        self._keep(answered, writer, seen)
            for failed in unanswered.rest():
                self._keep(failed, writer, seen)
        except UnusablePolicyError as exc:
            raise UnusablePolicyError(exc.message, f"{exc.hint} {self._saved(writer)}".strip(), exc.kind) from exc
        except asyncio.CancelledError:
            if not self.interrupted:
                raise
        finally:
            self.loaded.live_rows = before
            limit = self.plan.limits.policy_seconds
            await close_policy(self.policy, limit and max(limit, _CLOSE_SECONDS))
            if self.user is not None:
                await self.user.close()
        path, folder = (writer.run.path, writer.run.folder) if writer else (None, None)
        spec, name = self.loaded.spec, self.policy.name
        evaluation = Evaluation(spec.id, name, self.tally, path, self.interrupted, folder=folder, split=self.plan.split)
        if writer and not self.interrupted:
            writer.finish(evaluation.summary)
        return evaluation

    def interrupt(self) -> None:
        """Start no more episodes and keep the finished ones; for signal handlers."""
        self.interrupted = True
        if self._task:
            self._task.cancel()

    def _saved(self, writer: RunWriter | None) -> str:
        """What a run has that stopped, and how to go on with it; empty where it has nothing."""
        if writer is None or not self.tally.episodes:
            return ""
        done = f"{self.tally.episodes} of {counted(len(self.jobs), 'episode')} are saved"
        return f"{done}; go on with: {command_to_continue(writer.run)}"

    def _episodes(self, jobs: Iterable[Job]) -> AsyncGenerator[Episode, None]:
        plan = self.plan
        rollout = Rollout(
            self.policy, plan.sampling, plan.limits, plan.concurrency, user=self.user, live_model=self.live_model,
            when_quiet=self._when_quiet,
        )  # fmt: skip
        return rollouts(self.loaded, self.rows, rollout, jobs)

    def _missing(self, writer: RunWriter | None) -> list[Job]:
        """The jobs without a record in the run; existing records are added to the metrics."""
        if writer is None:
            return self.jobs
        done = set()
        for episode in writer.run.episodes():
            self.tally.add(episode)
            done.add((episode.row_index, episode.sample))
        return [job for job in self.jobs if (job.row_index, job.sample) not in done]

    def _keep(
        self, episode: Episode, writer: RunWriter | None, seen: Callable[[Episode, Metrics], None] | None
    ) -> None:
        check_had_model(episode)
        if writer:
            episode = writer.append(episode)
        self.tally.add(episode)
        for _ in call_each("grpo_env_episode_finished", episode=episode):
            pass
        if seen:
            seen(episode, self.tally)
        check_errors(self.plan, self.tally, writer.run if writer else None)


def start(evaluator: Evaluator, out: str | None, parent: Path) -> RunWriter:
    """A new run for an evaluation: in `out`, or in a folder of its own below `parent`."""
    name = f"{evaluator.loaded.spec.id}-{evaluator.policy.name}"
    return create_run(Path(out) if out else take_folder(new_folder(parent, name)), evaluator.manifest())


def _chosen(loaded: LoadedEnv, plan: EvalPlan) -> Rows:
    rows = loaded.rows(plan.split)
    if len(rows) == 0:
        has = counted(len(rows.table), "row")
        raise UsageError(f"{loaded.spec.id} has {has}, so none is held out as {plan.split}.", "Use --split train.")
    if isinstance(plan.rows, Sequence):
        return rows.only(plan.rows)
    if plan.rows is not None and plan.rows > len(rows):
        has = counted(len(rows), "row" if plan.split == "all" else f"{plan.split} row")
        warnings.warn(f"{loaded.spec.id} has {has}, fewer than {plan.rows}.", GrpoEnvWarning, stacklevel=6)
    chosen: Rows = rows[: plan.rows]
    return chosen
