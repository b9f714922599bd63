"""A problem of a planned training: one line, with the fix."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.ext import UsageError


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do about it; a problem that is not fatal is a warning."""

    message: str
    hint: str = ""
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def named(self, env: str) -> "Problem":
        """The same, beginning with the name of the environment that it is of, unless it says that."""
        return self if env in self.message else replace(self, message=f"{env}: {self.message}")


class PreflightError(UsageError):
    """A training that cannot work; `problems` lists every reason, each with its fix."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        only = problems[0] if len(problems) == 1 else Problem("\n".join(map(str, problems)))
        super().__init__(only.message, only.hint)
        self.problems = tuple(problems)

    def as_json(self) -> dict[str, Any]:
        """The error as JSON, with the list of problems."""
        text = super().as_json()
        listed = [{"message": problem.message, "hint": problem.hint} for problem in self.problems]
        return {"error": {**text["error"], "problems": listed}}
