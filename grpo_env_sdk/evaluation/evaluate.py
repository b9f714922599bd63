"""An evaluation: many episodes of one environment by one policy, added up, kept on disk where wanted."""

import asyncio
import contextlib
import html
import inspect
import sys
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.loading import LoadedEnv, load
from grpo_env_sdk.errors import GrpoEnvError, UsageError, did_you_mean
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import EvalPlan, manifest_of, plan_of
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.policies import Policy, make_policy
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.plugins import call_each
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.rollout.driver import Job, Rollout, RowSource, check_scorable, jobs_for, rollouts
from grpo_env_sdk.runs import RunWriter, create_run, new_folder, open_run, resume_run
from grpo_env_sdk.types import Episode


class TooManyErrorsError(GrpoEnvError, RuntimeError):
    """An evaluation stopped early, as too many of its episodes failed."""


@dataclass
class Evaluation:
    """What an evaluation came to; `summary` is the plain data, `run` the folder where it is kept."""

    env: str
    policy: str
    tally: Metrics
    run: Path | None = None
    interrupted: bool = False

    @property
    def summary(self) -> dict[str, Any]:
        """The metrics, as `eval --json` prints them."""
        return {"env": self.env, "policy": self.policy, "run": str(self.run) if self.run else None} | (
            self.tally.summary()
        )

    def __repr__(self) -> str:
        kept = f", run {self.run}" if self.run else ""
        return f"<{self.policy} on {self.env}: reward {self.tally.reward}, {self.tally.episodes} episodes{kept}>"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        summary = self.summary
        rows = [
            ("reward", str(self.tally.reward)),
            ("episodes", f"{summary['episodes']} ({summary['scored']} scored)"),
        ]
        rows += [(name, f"{part['mean']:.3f}") for name, part in summary["rewards"].items()]
        rows += [(f"pass@{k}", f"{value:.3f}") for k, value in summary["pass_at_k"].items()]
        rows += [(f"ended: {name}", str(count)) for name, count in summary["stop_reasons"].items()]
        cells = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in rows)
        return f"<table><caption>{html.escape(self.policy)} on {html.escape(self.env)}</caption>{cells}</table>"


def evaluate(
    env: Any,
    policy: str | Policy = "gold",
    *,
    config: dict[str, Any] | None = None,
    out: str | Path | None = None,
    base_url: str | None = None,
    tokenizer: Any = None,
    **plan: Any,
) -> Evaluation:
    """Measure a policy on an environment; nothing is written unless `out` names a folder.

    evaluate("hotel-v1", "gold", rows=50).summary["reward"]["mean"]

    `plan` takes the fields of `EvalPlan`: split, rows, samples, sampling, limits, concurrency, max_errors, ...
    """
    loaded = load(env, config, tokenizer=tokenizer)
    name = policy if isinstance(policy, str) else policy.name
    made = EvalPlan(policy=PolicySpec(name, base_url), **plan)
    work = Work(loaded, made, None if isinstance(policy, str) else policy)
    if out is None:
        return run_coroutine(work.run(None))
    with create_run(Path(out), work.manifest()) as writer:
        return run_coroutine(work.run(writer))


class Work:
    """One evaluation, from its plan to its summary."""

    def __init__(self, loaded: LoadedEnv, plan: EvalPlan, policy: Policy | None = None) -> None:
        self.loaded = loaded
        self.plan = plan
        chosen = _chosen(loaded, plan)
        self.rows: RowSource = chosen
        self.policy = policy or make_policy(replace(plan.policy, concurrency=plan.concurrency))
        self.jobs = jobs_for(chosen, plan.samples)
        self._fingerprint = chosen.fingerprint
        parts = {reward.name: reward.range for reward in Rubric.of(loaded.env).rewards}
        self.tally = Metrics(loaded.traits.reward_range, plan.pass_at, plan.by, plan.prices, parts)
        check_scorable(loaded)
        if plan.policy.model == "gold" and not loaded.traits.solvable:
            raise UsageError(f"{loaded.spec.id} has no solve(row), so no gold answers.", "Take another --model.")
        self.interrupted = False
        self._task: asyncio.Task[Any] | None = None
        if plan.by is not None and plan.by not in chosen.columns:
            hint = did_you_mean(plan.by, chosen.columns) or f"There are {', '.join(chosen.columns)}."
            raise UsageError(f"--by {plan.by}: no such column.", hint)

    def manifest(self) -> dict[str, Any]:
        """What the run measures, and with what; no secret is in it."""
        return manifest_of(self.loaded, self.plan, len(self.rows.indices), self._fingerprint())

    async def run(self, writer: RunWriter | None, seen: Callable[[Episode, Metrics], None] | None = None) -> Evaluation:
        """Run what is missing, keep each record as it comes, and sum up."""
        jobs = self._missing(writer)
        self._task = asyncio.current_task()
        try:
            async with contextlib.aclosing(self._episodes(jobs)) as episodes:
                async for episode in episodes:
                    self._keep(episode, writer, seen)
        except asyncio.CancelledError:
            if not self.interrupted:
                raise
        finally:
            await close_policy(self.policy)
        evaluation = Evaluation(
            self.loaded.spec.id,
            self.policy.name,
            self.tally,
            writer.run.path if writer else None,
            self.interrupted,
        )
        if writer and not self.interrupted:
            writer.finish(evaluation.summary)
        return evaluation

    def interrupt(self) -> None:
        """Begin nothing new and keep what is done; for signal handlers."""
        self.interrupted = True
        if self._task:
            self._task.cancel()

    def _episodes(self, jobs: Iterable[Job]) -> AsyncGenerator[Episode, None]:
        rollout = Rollout(self.policy, self.plan.sampling, self.plan.limits, self.plan.concurrency)
        return rollouts(self.loaded, self.rows, rollout, jobs)

    def _missing(self, writer: RunWriter | None) -> list[Job]:
        """The jobs that the run has no record of; those that it has are added up."""
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
        if writer:
            writer.append(episode)
        self.tally.add(episode)
        for _ in call_each("grpo_env_episode_finished", episode=episode):
            pass
        if seen:
            seen(episode, self.tally)
        self._check_errors()

    def _check_errors(self) -> None:
        """Stop a hopeless run: at a number of failed episodes, or at a share of them once there are twenty."""
        limit, failed = self.plan.max_errors, sum(self.tally.errors.values())
        if limit is None or not failed:
            return
        share = limit < 1
        if share and (self.tally.episodes < 20 or failed / self.tally.episodes <= limit):
            return
        if not share and failed < limit:
            return
        cause, count = next(iter(self.tally.errors.items()))
        raise TooManyErrorsError(
            f"Stopped: {failed} of {self.tally.episodes} episodes failed, {count} by {cause}.",
            "Mend that, then go on with --resume RUN --retry-failed (and --force, where the environment changed).",
        )


def start(work: Work, out: str | None, parent: Path) -> RunWriter:
    """A new run for an evaluation: in `out`, or in a folder of its own below `parent`."""
    name = f"{work.loaded.spec.id}-{work.policy.name}"
    return create_run(Path(out) if out else new_folder(parent, name), work.manifest())


def resume(
    folder: str, force: bool = False, retry_failed: bool = False, base_url: str | None = None, **changes: Any
) -> tuple[Work, RunWriter]:
    """The evaluation that a run began, ready to run what is missing, and what failed where asked to."""
    run = open_run(folder)
    if "rescored_from" in run.manifest:
        raise UsageError(f"{folder} scored other transcripts, and asks no model.", "Rescore the first run again.")
    plan = replace(plan_of(run), **changes)
    if base_url is not None:  # with the credentials that no run keeps
        plan = replace(plan, policy=replace(plan.policy, base_url=base_url))
    work = Work(load(run.manifest["env"], run.manifest["config"]), plan)
    return work, resume_run(run, work.manifest(), force, retry_failed)


async def close_policy(policy: Policy) -> None:
    """Let a policy put away what it holds open, where it has an async `close`."""
    close = getattr(policy, "close", None)
    closing = close() if close is not None else None
    if inspect.isawaitable(closing):
        await closing


def _chosen(loaded: LoadedEnv, plan: EvalPlan) -> Rows:
    rows = loaded.rows(plan.split)
    if len(rows) == 0:
        raise UsageError(
            f"{loaded.spec.id} has {len(rows.dataset)} row{'s'[: len(rows.dataset) != 1]}, so none is held out "
            f"as {plan.split}.",
            "Take --split train.",
        )
    if plan.rows is not None and plan.rows > len(rows):
        print(
            f"note: {loaded.spec.id} has {len(rows)} {plan.split} rows, fewer than {plan.rows}.",
            file=sys.stderr,
        )
    return Rows(rows.dataset, rows.indices[: plan.rows], rows.offset)
