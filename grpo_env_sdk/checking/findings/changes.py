"""What changed between an earlier report on an environment and this one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grpo_env_sdk.checking.findings.finding import Finding, Severity

Status = Literal["new", "worse", "better", "gone", "waived", "undecided"]
COUNTS: tuple[Status, ...] = ("new", "worse")
"""What makes a comparison fail; a finding whose check did not decide this time is not gone."""


@dataclass(frozen=True, slots=True)
class Change:
    """One finding that is in one of the two reports, or in both with another severity."""

    status: Status
    finding: Finding
    before: Severity | None = None
    """The severity in the earlier report."""

    def as_json(self) -> dict[str, Any]:
        """The change as `--json` prints it."""
        return {"status": self.status, "severity_before": self.before, **self.finding.as_json()}


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes since an earlier report."""

    since: str
    """The name of the earlier report."""
    verdict: str | None
    """The earlier verdict; None if there is no earlier report on this environment, so that everything is new."""
    changes: Sequence[Change] = ()
    unchanged: int = 0
    """The findings that are in both."""
    new_checks: Sequence[str] = ()
    """The checks that ran now, and not for the earlier report."""
    differs: Sequence[str] = ()
    """What else is not as it was for the earlier report: the version, the config, how it was tested."""

    def counts(self, finding: Finding) -> bool:
        """Whether a finding of the later report is new, or worse than it was."""
        return any(change.status in COUNTS and change.finding == finding for change in self.changes)

    def number(self, *statuses: Status) -> int:
        """How many changes have one of these statuses."""
        return sum(change.status in statuses for change in self.changes)

    def as_json(self) -> dict[str, Any]:
        """The changes as `--json` prints them."""
        return {
            "since": self.since, "verdict_before": self.verdict,
            "changes": [change.as_json() for change in self.changes], "unchanged": self.unchanged,
            "new_checks": list(self.new_checks), "differs": list(self.differs),
        }  # fmt: skip
