"""Reading the class and the instance of an author: a property, a `__getattr__` or a `__repr__` may do anything."""

from collections.abc import Callable
from typing import TypeVar

from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError
from grpo_env_sdk.isolation.calls.deadline import call_within
from grpo_env_sdk.isolation.calls.imports import hidden_library
from grpo_env_sdk.isolation.calls.tracebacks import describe_error

T = TypeVar("T")


def read_within(seconds: float | None, whose: str, read: Callable[[], T]) -> T:
    """What `read` finds out about an environment; whatever code of its author does meanwhile is one line."""
    try:
        return call_within(seconds, f"Reading {whose}", read)
    except GrpoEnvError:
        raise
    except Exception as exc:
        hint = hidden_library(exc) or "Fix the attribute, property or method there, then run this again."
        raise EnvironmentFailedError(f"Reading {whose} raised {describe_error(exc)}.", hint) from exc
