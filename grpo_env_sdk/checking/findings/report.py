"""The report on one environment: findings in the order of their severity, gaps, waivers, exhibits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from grpo_env_sdk.checking.findings.changes import Changes
from grpo_env_sdk.checking.findings.finding import SEVERITIES, Finding, Item, Plot, Table, Undecided
from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.plain_text import counted, joined
from grpo_env_sdk.report.html import table

FIX_FIRST = "Fix the errors above first."
Verdict = Literal["sound", "unproven", "findings", "untestable"]


def stopped_by(check: str, *others: str) -> Undecided:
    """What other checks leave open because of a finding of one check."""
    return Undecided(f"The finding of {check} prevents this check.", FIX_FIRST, others)


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that the author accepts, with the reason."""

    finding: Finding
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The waived finding as `--json` prints it."""
        found = self.finding
        return {"id": found.check, "severity": found.severity, "reason": self.reason, "message": found.message}


@dataclass(repr=False)
class Report:
    """The result of `check_env` and `grpo-env test` for one environment; print it for a summary."""

    env: str
    """The id."""
    findings: list[Finding] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    exhibits: list[Table | Plot] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    """The seconds of each check that ran, by id."""
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    waive: Any = None
    """The waivers on the class, as its author wrote them."""
    waivers: dict[str, str] = field(default_factory=dict)
    """All valid waivers, of the class and of the project."""
    waivers_of_nothing: Mapping[str, str] = field(default_factory=dict)
    """The names in the project's waivers that no environment has, each with the next step."""
    blocked: bool = False
    interrupted: bool = False
    """Whether a long check was stopped with Ctrl-C, after all others."""
    unproven: tuple[str, ...] = ()
    """Why all checks together prove nothing: gold never scored, or too few rows were tried."""
    rows_of_groups: dict[str, int] = field(default_factory=dict)
    """On how many rows the checks of the reward played, by group."""
    changes: Changes | None = None
    """What changed since an earlier report, where one was given."""
    name: str = ""
    """The name that finds the environment: the id, with its package in front where another one has it too."""
    distribution: str | None = None
    version: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    effort: str = "default"
    seed: int = 0

    def __post_init__(self) -> None:
        self.name = self.name or self.env

    @property
    def verdict(self) -> Verdict:
        """`untestable` if most checks could not even start, `unproven` if they found no error but tried too little.

        An environment with warnings alone is `sound`.
        """
        if self.blocked:
            return "untestable"
        return "findings" if self.count("error") else "unproven" if self.unproven else "sound"

    @property
    def ok(self) -> bool:
        """Whether the environment is sound: no errors, and it could be tested and proven."""
        return self.verdict == "sound"

    def count(self, severity: str) -> int:
        """The number of findings of a severity, without those that follow from another."""
        return sum(finding.severity == severity for finding in self.causes)

    @property
    def causes(self) -> list[Finding]:
        """The findings that do not follow from another."""
        return [finding for finding in self.findings if not finding.follows]

    @property
    def open(self) -> list[str]:
        """The ids of checks that could not be decided, or only in part."""
        return list(dict.fromkeys(id for gap in self.undecided for id in gap.checks))

    @property
    def verdict_text(self) -> str:
        """The verdict for people: of a sound environment, whether there are gaps, warnings and waived findings."""
        if not self.ok:
            return self.verdict
        text = "sound as far as it could be tested" if self.undecided else "sound"
        parts = [counted(self.count("warning"), "warning")] if self.count("warning") else []
        parts += [counted(len(self.waived), "waived finding")] if self.waived else []
        return f"{text}, with {joined(parts)}" if parts else text

    def failed(self, strict: bool = False) -> bool:
        """Whether the command exits with code 1; `strict` counts warnings too."""
        return self.verdict == "untestable" or any(self.fails(finding, strict) for finding in self.findings)

    def fails(self, finding: Finding, strict: bool = False) -> bool:
        """Whether this finding is enough to fail: where an earlier report is known, only if it is new or worse."""
        bad = finding.severity == "error" or (strict and finding.severity == "warning")
        return bad and not finding.follows and self.is_news(finding)

    def is_news(self, finding: Finding) -> bool:
        """Whether an earlier report does not have this finding, or has it as less severe; true without one."""
        return self.changes is None or self.changes.counts(finding)

    @property
    def fails_unproven(self) -> bool:
        """Whether too little could be tried, and not for the earlier report too, where one is known."""
        return self.verdict == "unproven" and (self.changes is None or self.changes.verdict != "unproven")

    def add(self, item: Item) -> None:
        """Keep an item of a check; findings with the same cause, and gaps with the same reason, are kept once."""
        if isinstance(item, Finding):
            known = next((one for one in self.findings if item.cause and one.cause == item.cause), None)
            if known is None:
                self.findings.append(item)
                self.findings.sort(key=lambda finding: SEVERITIES.index(finding.severity or "error"))
            elif known.check != item.check:
                self._add_gap(stopped_by(known.check, item.check))
        elif isinstance(item, Undecided):
            self._add_gap(item)
        else:
            self.exhibits.append(item)

    def reopen(self, checks: Collection[str]) -> None:
        """Forget the gaps and exhibits of checks that run once more."""
        left = [replace(gap, checks=tuple(id for id in gap.checks if id not in checks)) for gap in self.undecided]
        self.undecided = [gap for gap in left if gap.checks]
        self.exhibits = [shown for shown in self.exhibits if shown.check not in checks]

    def _add_gap(self, gap: Undecided) -> None:
        for place, known in enumerate(self.undecided):
            if (known.why, known.would_help) == (gap.why, gap.would_help):
                checks = dict.fromkeys(known.checks + gap.checks)
                self.undecided[place] = replace(known, checks=tuple(checks))
                return
        self.undecided.append(gap)

    def as_json(self) -> dict[str, Any]:
        """The report as `--json` prints it."""
        return {
            "id": self.env, "distribution": self.distribution, "version": self.version,
            "config": dict(self.config), "effort": self.effort, "seed": self.seed,
            "verdict": self.verdict, "verdict_text": self.verdict_text,
            "counts": {name: self.count(name) for name in SEVERITIES},
            "findings": [finding.as_json() for finding in self.findings],
            "undecided": [gap.as_json() for gap in self.undecided],
            "waived": [waived.as_json() for waived in self.waived],
            "unproven": list(self.unproven), "rows_of_groups": self.rows_of_groups,
            "checks": self.timings, "facts": self.facts, "seconds": round(self.seconds, 2),
            **({} if self.changes is None else {"changes": self.changes.as_json()}),
        }  # fmt: skip

    def __repr__(self) -> str:
        parts = list(self.unproven) if self.verdict == "unproven" else []
        parts += [counted(self.count(name), name) for name in ("error", "warning") if self.count(name)]
        parts += [f"{len(self.open)} undecided"] if self.open else []
        done = f"{len(self.timings)} checks in {self.seconds:.1f} s"
        return f"<{self.name}: {', '.join([self.verdict, done, *parts])}>"

    def __str__(self) -> str:
        return "\n".join([repr(self)[1:-1], *("  ".join(row) for row in self._rows())])

    def _repr_html_(self) -> str:
        """The findings as a table, for notebooks."""
        return f"{table((repr(self)[1:-1],), [])}{table(('severity', 'check', 'finding', 'fix'), self._rows())}"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Severity, check, message and fix of each finding and gap."""
        found = [
            (str(one.severity), one.check, one.message, advice(one) if one.follows else one.hint)
            for one in self.findings
        ]
        return found + [("undecided", ", ".join(gap.checks), gap.why, gap.would_help) for gap in self.undecided]
