"""The checks before a training starts: every problem that can be found in seconds, each with its fix."""

import warnings
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from grpo_env_sdk import GrpoEnvError, GrpoEnvWarning
from grpo_env_trl.preflight.problem import PreflightError, Problem

if TYPE_CHECKING:
    from grpo_env_trl.preflight.planned_training import PlannedTraining
    from grpo_env_trl.setup.preparing import TrainingSetup


def preflight(
    setup: "TrainingSetup", warn: Callable[[str], None] | None = None, without: Collection[str] = ()
) -> "list[PlannedTraining]":
    """What was looked at, for each environment; raises where this training cannot work, with every reason.

    Args:
        warn: Gets each warning.
        without: Checks to leave out, by the names of their modules.
    """
    from grpo_env_trl.preflight import (
        asynchronous,
        continuous_batching,
        disk,
        environment,
        growth,
        hub,
        images,
        launcher,
        lengths,
        memory,
        mixture,
        model,
        packages,
        rewards,
        template,
        versions,
        vllm_server,
    )
    from grpo_env_trl.preflight.planned_training import PlannedTraining

    found: dict[str, Problem] = {}  # several checks may find the same problem
    parts = (
        launcher, versions, packages, asynchronous, continuous_batching, hub, images, disk, mixture, environment,
        rewards, model, template, vllm_server, lengths, growth, memory,
    )  # fmt: skip
    of_each = {images, environment, template, lengths, growth}
    every = [PlannedTraining(setup, env) for env in setup.envs]
    wanted = [part for part in parts if part.__name__.rpartition(".")[2] not in without]
    of_whom = [(part, one) for part in wanted for one in (every if part in of_each else every[:1])]
    for part, looked_at in of_whom:
        problems, is_late = _found(part.problems, looked_at)
        name = looked_at.loaded.spec.id if setup.several and part in of_each else ""
        found |= {str(problem): problem for problem in (problem.named(name) for problem in problems)}
        if is_late:  # the other checks would call the same code, and each wait as long
            break
    for problem in found.values():
        if not problem.fatal:
            (warn or _warn)(str(problem))
    if fatal := [problem for problem in found.values() if problem.fatal]:
        raise PreflightError(fatal)
    return every


def _found(
    check: "Callable[[PlannedTraining], Iterable[Problem]]", planned: "PlannedTraining"
) -> tuple[list[Problem], bool]:
    """What a check finds, an error that it raises among it, and whether that was a deadline."""
    found: list[Problem] = []
    try:
        found.extend(check(planned))
    except GrpoEnvError as exc:
        found.append(Problem(exc.message, exc.hint))
        return found, isinstance(exc, TimeoutError)
    return found, False


def _warn(text: str) -> None:
    warnings.warn(text, GrpoEnvWarning, stacklevel=4)
