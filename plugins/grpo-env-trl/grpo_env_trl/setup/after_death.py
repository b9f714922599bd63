"""Where environment code runs in a training that is resumed after it died while such code was at work."""

import warnings
from collections.abc import Callable
from pathlib import Path

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import MOST_AFTER_DEATH, EnvPool, LoadedEnv, UsageError, check_pool, ended_in, left_in
from grpo_env_trl.bridges.trl_tool_loop import LOOPS
from grpo_env_trl.settings import TrainSettings


def loaded_after_death(settings: TrainSettings, load: Callable[[EnvPool], list[LoadedEnv]]) -> list[LoadedEnv]:
    """The environments for their pool: processes after such a death, with a note, unless the user says otherwise."""
    resumed = Path(settings.resume) if settings.resume else None
    may_move = settings.pool.kind == "thread" and settings.sources.get("env_pool") != "flag"
    if resumed is None or not may_move or not (rows := left_in(resumed)):
        return load(settings.pool)
    died = f"{ended_in(resumed, rows)}."
    loaded, why_not = _moved(settings, load)
    if why_not:
        text = f"{died} The training goes on in threads, where that may happen again: {why_not}"
        loaded = load(settings.pool)
    else:
        text = f"{died} The rest runs in worker processes: --env-pool process."
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)
    return loaded


def _moved(settings: TrainSettings, load: Callable[[EnvPool], list[LoadedEnv]]) -> tuple[list[LoadedEnv], str]:
    """The environments in processes, or why their episodes cannot move there, or would not be the same."""
    if settings.bridge in LOOPS:
        return [], f"--bridge {settings.bridge} runs tools in this process."
    try:
        loaded = load(EnvPool("process", MOST_AFTER_DEATH))
        for one in loaded:
            if one.has_state and not one.description.scores_in_order:
                return [], f"the state of {one.spec.id} would begin anew in processes."
            check_pool(one)
    except UsageError as exc:
        return [], exc.message
    return loaded, ""
