"""What a policy that raised becomes: the event that ends the episode, with whose fault it was."""

import asyncio
from dataclasses import replace

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.calls.tracebacks import short_traceback
from grpo_env_sdk.isolation.values.error_text import error_text, type_name
from grpo_env_sdk.policies.policy import PolicyError
from grpo_env_sdk.rollout.commands import Failed
from grpo_env_sdk.types import Fault, StopReason


class SolutionFailedError(PolicyError):
    """The author's `solve` failed; the fault has the traceback of its code."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message, kind=fault.type)
        self.fault = fault


def what_was_tried(exc: BaseException | None) -> str:
    """The last error of a policy that was still trying again when its time was up."""
    while exc is not None and not isinstance(exc, PolicyError):
        exc = exc.__cause__ or exc.__context__
    return f" The last answer was an error: {exc.message}" if isinstance(exc, PolicyError) else ""


def policy_failed(reason: StopReason, exc: Exception, seconds: float) -> Failed:
    """The event that ends the episode."""
    if isinstance(exc, SolutionFailedError):
        return Failed(reason, replace(exc.fault, whose="policy"), "policy", seconds)
    known = isinstance(exc, GrpoEnvError)
    kind, usage = (exc.kind, exc.usage) if isinstance(exc, PolicyError) else (type_name(exc), {})
    fault = Fault("policy", "generate", kind, error_text(exc), "" if known else short_traceback(exc))
    return Failed(reason, fault, "policy", seconds, usage)


def cancelled_by_policy() -> Failed:
    """The event that ends the episode whose task its policy has cancelled, as a client may that aborts a request."""
    if (task := asyncio.current_task()) is not None:
        task.uncancel()
    said = "the task of the episode was cancelled while the policy answered"
    return Failed("cancelled", Fault("policy", "generate", "CancelledError", said), "policy")
