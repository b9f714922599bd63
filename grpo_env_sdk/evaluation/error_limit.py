"""Where an evaluation stops because too many of its episodes failed."""

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import EvalPlan, may_fail
from grpo_env_sdk.runs.continuing import command_to_retry
from grpo_env_sdk.runs.reading import Run


class TooManyErrorsError(GrpoEnvError, RuntimeError):
    """An evaluation stopped early because too many of its episodes failed."""


def check_errors(plan: EvalPlan, tally: Metrics, run: Run | None) -> None:
    """Stop at a number of failed episodes, or at a share of them after the first twenty; `run` keeps them."""
    failed = sum(tally.errors.values())
    too_few = plan.max_errors is None or (plan.max_errors < 1 and tally.episodes < 20)
    if not failed or too_few or may_fail(failed, tally.episodes, plan.max_errors):
        return
    cause, count = next(iter(tally.errors.items()))
    again = command_to_retry(run) if run else None
    raise TooManyErrorsError(
        f"Stopped: {failed} of {tally.episodes} episodes failed, {count} by {cause}.",
        f"Fix that, then: {again} (and --force if the environment changed)."
        if again
        else "Fix that, or allow more of them: --max-errors N.",
    )
