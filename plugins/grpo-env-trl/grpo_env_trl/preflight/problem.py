"""What stands in the way of a training: one line each, with the fix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import UsageError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and what to do about it; one that is not fatal is a warning."""

    message: str
    hint: str = ""
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class PreflightError(UsageError):
    """A training that cannot work; `problems` has every reason that was found, each with its fix."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        only = problems[0] if len(problems) == 1 else Problem("\n".join(map(str, problems)))
        super().__init__(only.message, only.hint)
        self.problems = tuple(problems)

    def as_json(self) -> dict[str, Any]:
        """As for every error, with each problem."""
        told = super().as_json()
        listed = [{"message": problem.message, "hint": problem.hint} for problem in self.problems]
        return {"error": {**told["error"], "problems": listed}}
