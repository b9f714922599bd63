"""One check on one class, in this process."""

from typing import Any

from grpo_env_sdk.checking.check import Check
from grpo_env_sdk.checking.evidence.subject import Effort, Settings, Subject
from grpo_env_sdk.checking.findings.finding import Item
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.types import EnvSpec


def subject_of(cls: type, effort: Effort = "default", seed: int = 0, **config: Any) -> Subject:
    """A subject for a class that a test file defines."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    return Subject(EnvSpec(name, name, config=config), Settings(effort, seed=seed, call_seconds=2.0), create=cls)


def found(check: Check, cls: type, effort: Effort = "default", seed: int = 0, **config: Any) -> list[Item]:
    """What a check finds."""
    return list(found_by(check, subject_of(cls, effort, seed, **config)))
