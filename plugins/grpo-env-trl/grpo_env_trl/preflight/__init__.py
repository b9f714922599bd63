"""What can be known to go wrong before anything heavy is done, each problem with its fix."""

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning
from grpo_env_trl.preflight.problem import PreflightError, Problem

if TYPE_CHECKING:
    from grpo_env_trl.preflight.planned_training import PlannedTraining
    from grpo_env_trl.setup.preparing import Prepared


def preflight(prepared: "Prepared", warn: Callable[[str], None] | None = None) -> None:
    """Raise where this training cannot work, with every reason; `warn` is told what may go wrong."""
    from grpo_env_trl.preflight import disk, environment, launcher, lengths, memory, model, sizes, template, versions
    from grpo_env_trl.preflight.planned_training import PlannedTraining

    subject = PlannedTraining(prepared)
    found: dict[str, Problem] = {}  # one cause may be met by several checks
    for part in (launcher, versions, disk, sizes, environment, model, template, lengths, memory):
        found |= {str(problem): problem for problem in _found(part.problems, subject)}
    for problem in found.values():
        if not problem.fatal:
            (warn or _warn)(str(problem))
    if fatal := [problem for problem in found.values() if problem.fatal]:
        raise PreflightError(fatal)


def _found(check: "Callable[[PlannedTraining], Iterable[Problem]]", subject: "PlannedTraining") -> list[Problem]:
    """What a check finds; what refuses to be looked at is a problem too."""
    found: list[Problem] = []
    try:
        found.extend(check(subject))
    except GrpoEnvError as exc:
        found.append(Problem(exc.message, exc.hint))
    return found


def _warn(text: str) -> None:
    warnings.warn(text, GrpoEnvWarning, stacklevel=4)
