"""What a tool raises that is no answer for a model: the environment has failed, and the episode with it."""

from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.calls.deadline import raised_there


def ends_episode(exc: Exception) -> bool:
    """Whether a tool raised an `EnvironmentFailedError`, a `MemoryError` or what is no ordinary exception."""
    cause = raised_there(exc)
    return isinstance(cause, EnvironmentFailedError | MemoryError) or not isinstance(cause, Exception)
