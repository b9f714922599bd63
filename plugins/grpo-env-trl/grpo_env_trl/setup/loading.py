"""The environments of a training, loaded where their code is to run."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import (
    SPLITS,
    EnvPool,
    LoadedEnv,
    Split,
    UsageError,
    check_pool,
    check_user,
    name_in_run,
    user_spec,
)
from grpo_env_trl.bridges.dataset import check_list_of_one
from grpo_env_trl.bridges.trl_tool_loop import check_loop_pool
from grpo_env_trl.env_weights import EnvShare, check_shares, loaded_shares
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.setup.after_death import loaded_after_death
from grpo_env_trl.setup.trained_env import TrainedEnv


def trained_envs(settings: TrainSettings, env: Any = None, tokenizer: Any = None) -> tuple[TrainedEnv, ...]:
    """The environment, which may be an object, or each of several; only for threads is it imported here.

    `tokenizer` is one that the caller opened; workers open that of the model themselves, where rows or scores read it.
    """
    check_loop_pool(settings.bridge, settings.pool)
    shares = settings.envs or [EnvShare(settings.env if env is None else env, config=settings.env_config)]
    check_list_of_one(settings.rows, len(shares))
    if settings.resume:
        shares = _of_the_run(shares, settings.resume)
    user = user_spec(settings.user_model, settings.user_base_url, _sends_key(settings))
    named = settings.model if tokenizer is None else tokenizer

    def load(pool: EnvPool) -> list[LoadedEnv]:
        of_model = None if pool.kind == "thread" else named  # threads get it later, once it is open
        loaded = loaded_shares(shares, user, pool, build_timeout=settings.limit_build, tokenizer=of_model)
        return [one if one.pool == pool else one.with_settings(pool=pool) for one in loaded]

    loaded = loaded_after_death(settings, load)
    for one in loaded:
        check_user(one)
        check_pool(one)
    check_shares([EnvShare(one, share.weight) for one, share in zip(loaded, shares, strict=True)])  # one by two names
    return tuple(
        TrainedEnv(one, settings.rows, settings.eval_rows, cast(Split, settings.eval_split), share.weight)
        for one, share in zip(loaded, shares, strict=True)
    )


def name_asked(settings: TrainSettings, env: Any = None) -> str:
    """The name of what is to be trained on, before it is loaded; `env` may be an object."""
    if settings.envs:
        return "-".join(share.name for share in settings.envs)
    return settings.env or EnvShare(env).name


def check_split(split: str) -> None:
    """Raise where there is no such split to evaluate."""
    if split not in SPLITS:
        raise UsageError(f"--eval-split {split}: no such split.", f"Choose from {', '.join(SPLITS)}.")


def check_solvable(envs: Iterable[TrainedEnv]) -> None:
    """Raise where the demo model cannot be built, as there is no solution for it to read."""
    if unsolved := next((env.name for env in envs if not env.loaded.traits.solvable), None):
        raise UsageError(
            f"{unsolved} has no solve(row), which the demo model needs for its warm start.",
            "Add a `solve` method, or train another model: --model Qwen/Qwen3-0.6B.",
        )


def _of_the_run(shares: Iterable[EnvShare], run: str) -> list[EnvShare]:
    """The environments of a run, each from the package that it recorded, whatever else has come with its name."""
    kept = open_run(run)
    return [
        replace(share, env=name_in_run(kept, share.env)) if isinstance(share.env, str) else share for share in shares
    ]


def _sends_key(settings: TrainSettings) -> bool:
    """Whether the server of the user model gets the key: not where only a foreign run names it."""
    typed = settings.sources.get("user_base_url") == "flag"
    return typed or not settings.resume or open_run(settings.resume).own
