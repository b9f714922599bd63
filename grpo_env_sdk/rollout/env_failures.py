"""What a host answers where environment code failed, and whose time that was."""

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.tracebacks import short_traceback
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.isolation.values.error_text import error_text, type_name
from grpo_env_sdk.rollout.commands import Failed
from grpo_env_sdk.types import Fault


def clock_of(stage: str) -> str:
    """Which of an episode's timings the seconds of a stage belong to."""
    return {"solve": "policy", **dict.fromkeys(("reset", "view", "step"), "environment")}.get(stage, stage)


def failure(stage: str, cause: BaseException) -> Failed:
    """The answer for an error of environment code."""
    timed_out = isinstance(cause, DeadlineError)
    trace = "" if timed_out else short_traceback(cause)
    fault = Fault("environment", stage, type_name(cause), redacted(error_text(cause)), trace)
    return Failed("timeout" if timed_out else "env_error", fault, clock_of(stage))
