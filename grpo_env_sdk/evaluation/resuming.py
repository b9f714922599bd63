"""A run that stopped, ready to go on: with its own plan, and in worker processes where it died in environment code."""

import os
import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.plan import plan_of, tokenizer_in, user_in
from grpo_env_sdk.evaluation.suspects import (
    check_given_up,
    explaining,
    note_recorded,
    note_suspects,
    pool_for,
    suspects_of,
)
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.policies.endpoint import KEY_VARIABLE, usual_url, without_credentials
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.foreign import ORIGIN, check_origin
from grpo_env_sdk.registry.qualified import check_package, name_in_run
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.live_rows import left_in
from grpo_env_sdk.runs.reading import Run, open_run
from grpo_env_sdk.runs.writing import RunWriter, check_idle, resume_run


def resume(
    folder: str,
    force: bool = False,
    retry_failed: bool = False,
    base_url: str | None = None,
    tokenizer: str | None = None,
    *,
    env: str | None = None,
    model: str | None = None,
    user: PolicySpec | None = None,
    trust: bool = False,
    env_retries: int | None = None,
    pool: EnvPool | None = None,
    give_up: Collection[int] = (),
    **changes: Any,
) -> tuple[Evaluator, RunWriter]:
    """The evaluation of an unfinished run, ready to run its missing episodes, and failed ones if asked to.

    Where somebody else has written the run, its environment and model are loaded if they are named here too. A run
    that died while environment code was at work goes on in worker processes; `give_up` has rows that are not played.
    """
    run = open_run(folder)
    _check_resumable(run, folder, model)
    typed = [name for name in (env, model, tokenizer, user and user.model, user and user.base_url) if name]
    typed += [] if pool is None else pool.options.values()
    check_origin(run, f"grpo-env eval {{}} --resume {folder}", typed=typed, trust=trust, plays=True)
    plan = plan_of(run)
    if env_retries is not None:
        plan = replace(plan, limits=replace(plan.limits, env_retries=env_retries))
    check_idle(run)
    suspects = suspects_of(run)
    plan = replace(plan, **changes)
    plan = plan.in_pool(pool_for(suspects, pool, give_up, plan.concurrency))
    kept = plan.policy
    policy = PolicySpec(model or kept.model, base_url or kept.base_url, send_key=base_url is not None or run.own)
    plan = replace(plan, policy=_without_key_for_strangers(policy))
    named = tokenizer or tokenizer_in(run.manifest)
    speaks = user_in(run, user)
    name = name_in_run(run, env)
    check_package(run, name)
    with explaining(suspects, run, pool):
        loaded = load_for(
            plan.pool, name, run.manifest.get("config"), split=plan.split, rows=plan.most_rows,
            tokenizer=named, user=speaks,
        )  # fmt: skip
        evaluator = Evaluator(loaded, plan)
    evaluator.given_up = check_given_up(give_up, evaluator.jobs)
    writer = resume_run(run, evaluator.manifest(), force, retry_failed)
    note_recorded(give_up, evaluator.jobs, writer.run)
    note_suspects(suspects, run, plan.pool)
    return evaluator, writer


def _check_resumable(run: Run, folder: str, model: str | None) -> None:
    """Raise for a run that is no evaluation to go on with, with the command that helps."""
    if "training" in run.manifest:
        evaluated = f"`{command_line('eval', '--model', folder)}` evaluates its model"
        raise UsageError(f"{folder} is a training.", f"{command_to_continue(run)}; {evaluated}.")
    if "rescored_from" in run.manifest:
        safely = " --env-pool process" if left_in(run.path) else ""
        first = run.manifest["rescored_from"]
        raise UsageError(
            f"{folder} is a rescored run, which asks no model.",
            f"Rescore the first run again: {command_line('rescore', first)}{safely}",
        )
    if run.manifest.get("policy_object") and model is None:
        raise UsageError(
            f"The policy {run.manifest.get('policy')!r:.80} of {folder} was an object in Python.",
            f"Go on in Python: {command_to_continue(run)}. Its results so far: {command_line('runs', 'show', folder)}",
        )


def _without_key_for_strangers(policy: PolicySpec) -> PolicySpec:
    """The policy of a resumed run; a server that only a foreign run names gets no key, and a note says so."""
    if policy.send_key or not policy.model.startswith("openai:"):
        return replace(policy, send_key=True)
    if policy.base_url in (None, without_credentials(usual_url())):
        return replace(policy, send_key=True)
    if os.environ.get(KEY_VARIABLE):
        warnings.warn(
            f"The run {ORIGIN}, so {policy.base_url} gets no {KEY_VARIABLE}. To send it: --base-url {policy.base_url}",
            GrpoEnvWarning,
            stacklevel=3,
        )
    return policy
