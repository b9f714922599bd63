"""Where environment code runs in a training that is resumed after it died while such code was at work."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import MOST_AFTER_DEATH, EnvPool, LoadedEnv, UsageError, check_pool, ended_in, left_in
from grpo_env_trl.bridges.trl_tool_loop import LOOPS
from grpo_env_trl.settings import TrainSettings


def pool_of(settings: TrainSettings, loaded: Sequence[LoadedEnv]) -> EnvPool:
    """That of the settings; processes after such a death, with a note, unless the user says otherwise."""
    if not settings.resume or settings.pool.kind != "thread" or settings.sources.get("env_pool") == "flag":
        return settings.pool
    if not (rows := left_in(Path(settings.resume))):
        return settings.pool
    died = f"{ended_in(settings.resume, rows)}."
    pool, why_not = EnvPool("process", MOST_AFTER_DEATH), _why_not(settings, loaded)
    if why_not:
        pool = settings.pool
        text = f"{died} The training goes on in threads, where that may happen again: {why_not}"
    else:
        text = f"{died} The rest runs in worker processes: --env-pool process."
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)
    return pool


def _why_not(settings: TrainSettings, loaded: Sequence[LoadedEnv]) -> str:
    """Why episodes cannot move to processes, or would not be the same there."""
    if settings.bridge in LOOPS:
        return f"--bridge {settings.bridge} runs tools in this process."
    for one in loaded:
        may_keep_state = one.traits.instances == "shared" and not one.traits.parallel
        if may_keep_state or callable(getattr(one.env, "state_dict", None)):
            return f"the state of {one.spec.id} would begin anew in processes."
        before, one.pool = one.pool, EnvPool("process")
        try:
            check_pool(one)
        except UsageError as exc:
            return exc.message
        finally:
            one.pool = before
    return ""
