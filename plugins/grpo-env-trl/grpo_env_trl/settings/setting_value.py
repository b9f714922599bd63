"""What somebody said of one setting, and how several such sayings come to one value."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from grpo_env_sdk.errors import UsageError


@dataclass(frozen=True)
class Said:
    """A value for a setting: how it was written, where, and the part of `TrainSettings` that holds it."""

    setting: str
    value: Any
    written: str
    source: str
    part: Literal["own", "grpo", "model_config"] = "own"


def settle(sayings: Iterable[Said]) -> dict[str, Said]:
    """One saying for each setting, or an error where two names of one setting disagree."""
    found: dict[str, Said] = {}
    for said in sayings:
        before = found.setdefault(said.setting, said)
        if before.value != said.value:
            raise UsageError(
                f"{before.written} says {before.value!r}, and {said.written} says {said.value!r}.",
                "They are one setting: keep one of them.",
            )
    return found
