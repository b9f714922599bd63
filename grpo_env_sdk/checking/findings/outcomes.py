"""What came of several environments: a report on each, or why there is none, as far as the command got."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.types import EnvSpec


@dataclass(frozen=True, slots=True)
class Untestable:
    """An environment on which there is no report, and why."""

    spec: EnvSpec
    name: str
    error: GrpoEnvError

    @property
    def verdict(self) -> Literal["untestable"]:
        """The verdict, as a report has one."""
        return "untestable"

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints in place of a report."""
        package = {"distribution": self.spec.distribution, "version": self.spec.version}
        return {"id": self.spec.id, **package, **self.error.as_json()}


Outcome = Report | Untestable


def how_far(outcomes: Sequence[Outcome], untested: Sequence[str]) -> str:
    """`1 of 5 tested`, where some are not."""
    return f"{len(outcomes)} of {len(outcomes) + len(untested)} tested" if untested else ""


def why_not_all(untested: Sequence[str]) -> str:
    """Why files about several environments are not about all of them."""
    return f"The command ended before these were tested: {', '.join(untested)}."
