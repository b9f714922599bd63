"""What the checks of one environment came to: findings in the order of their weight, gaps, waivers, exhibits."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from grpo_env_sdk.checking.findings.finding import SEVERITIES, Finding, Item, Plot, Table, Undecided

MEND_FIRST = "Mend what stands above first."
Verdict = Literal["sound", "findings", "untestable"]


def stopped_by(check: str, *others: str) -> Undecided:
    """What other checks could not tell, for what one of them found."""
    return Undecided(f"It was stopped by what {check} found.", MEND_FIRST, others)


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that the author has answered, with the reason."""

    finding: Finding
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The waived finding as `--json` prints it."""
        return {"id": self.finding.check, "reason": self.reason, "message": self.finding.message}


@dataclass
class Report:
    """Everything that was found out about one environment."""

    env: str
    findings: list[Finding] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    exhibits: list[Table | Plot] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    waive: Any = None
    """The waivers on the class, as its author wrote them."""
    blocked: bool = False

    @property
    def verdict(self) -> Verdict:
        """`untestable` where most checks could not even begin; warnings alone are `sound`."""
        if self.blocked:
            return "untestable"
        return "findings" if self.count("error") else "sound"

    def count(self, severity: str) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def open(self) -> list[str]:
        """The checks that could not tell all that they ask."""
        return list(dict.fromkeys(id for gap in self.undecided for id in gap.checks))

    @property
    def told(self) -> str:
        """The verdict in words, which say of a sound environment whether all could be told."""
        return "sound as far as could be told" if self.verdict == "sound" and self.undecided else self.verdict

    def failed(self, strict: bool = False) -> bool:
        """Whether the command's exit code is 1; `strict` counts warnings too."""
        return self.verdict != "sound" or (strict and self.count("warning") > 0)

    def add(self, item: Item) -> None:
        """Keep what a check said; one mistake met again, and one gap of several checks, stand once."""
        if isinstance(item, Finding):
            known = next((one for one in self.findings if item.cause and one.cause == item.cause), None)
            if known is None:
                self.findings.append(item)
                self.findings.sort(key=lambda finding: SEVERITIES.index(finding.severity or "error"))
            elif known.check != item.check:
                self._gap(stopped_by(known.check, item.check))
        elif isinstance(item, Undecided):
            self._gap(item)
        else:
            self.exhibits.append(item)

    def _gap(self, gap: Undecided) -> None:
        for place, known in enumerate(self.undecided):
            if (known.why, known.would_help) == (gap.why, gap.would_help):
                checks = dict.fromkeys(known.checks + gap.checks)
                self.undecided[place] = replace(known, checks=tuple(checks))
                return
        self.undecided.append(gap)

    def as_json(self) -> dict[str, Any]:
        """The report as `--json` prints it."""
        return {
            "id": self.env, "verdict": self.verdict,
            "findings": [finding.as_json() for finding in self.findings],
            "undecided": [gap.as_json() for gap in self.undecided],
            "waived": [waived.as_json() for waived in self.waived],
            "checks": self.timings, "facts": self.facts, "seconds": round(self.seconds, 2),
        }  # fmt: skip
