"""Which findings follow from another: one cause is one finding, and what follows is folded under it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.findings.finding import Finding

_SCORES = ("S210", "S211", "S212", "S213", "S220", "E320")
_CHEAP = ("T421", "G504", "G505", "G506", "G508", "G509", "G511", "G512", "F601", "F602", "F603")
FOLLOWS: dict[str, tuple[str, ...]] = {
    "C124": ("C135", "G668"),
    "C134": ("C111",),
    "C120": ("C121", "E301", "E302", "S212", "S213"),
    "C152": ("C151",),
    "C154": ("C151", "C152", "C153"),
    "E307": (*_SCORES, "E302", "E303", "E304", "G503", "G522", "G532", *_CHEAP),
    "E353": (*_SCORES, "E302", "E303", "E304", "G503", "G504", *_CHEAP),
    "E301": ("E302", "E303", *_SCORES),
    "E302": ("E303", *_SCORES),
    "E303": ("S211", "S220"),
    "S210": ("C149", "S211", "S212", "S213", "S220", "E320"),
    "S211": ("C149", "S212", "S213", "G505", "G506", "G514"),
    "S212": ("C149", "S213", "G503", "G505", "G510"),
    "S213": ("C149", "G501", "G503", "G505", "G506", "G510", "G512", "G514", "G562", "G564", "G582"),
    "S220": ("G501", "G505", "G506", "G514"),
    "E310": ("G501", "G530"),
    "G530": ("G501",),
    "G501": ("G502", "G510", "F601", "F602", "F603"),
    "G502": ("G503", "G510", *_CHEAP),
    "G631": ("G503",),
    "G503": _CHEAP,
    "G505": ("G506", "G508", "G554", "G602", "G657", "F601"),
    "G506": ("G554", "G602"),
    "G516": ("G602",),
    "G542": ("G515", "G550", "G680"),
    "G517": ("G553",),
    "G519": ("G507", "G531"),
    "G520": ("G562", "G602"),
    "G521": ("G599",),
    "G535": ("G599",),
    "G555": ("G503",),
    "G597": ("G501",),
    "T420": ("G656",),
}
"""For the error of a check, those that find the same cause again; the first line that matches decides."""


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with `follows` set where an error of another check explains them, each after its cause."""
    found = list(findings)
    errors = {finding.check for finding in found if finding.severity == "error"}
    marked = [replace(finding, follows=_cause_of(finding.check, errors)) for finding in found]
    return [finding for cause, others in grouped(marked) for finding in (cause, *others)]


def grouped(findings: Sequence[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Each cause; with the last one of its check, what follows from it."""
    causes = [finding for finding in findings if not finding.follows]
    last = {finding.check: place for place, finding in enumerate(causes)}
    for place, cause in enumerate(causes):
        yield cause, following(findings, cause.check) if last[cause.check] == place else []


def following(findings: Sequence[Finding], check: str) -> list[Finding]:
    """The findings that follow from those of a check."""
    return [finding for finding in findings if finding.follows == check]


def advice(finding: Finding) -> str:
    """`follows from E307: fix that first`."""
    return f"follows from {finding.follows}: fix that first"


def _cause_of(check: str, errors: set[str]) -> str:
    """The check whose error explains this one, which no other explains; empty if it stands by itself."""
    cause = next((one for one, others in FOLLOWS.items() if one in errors and check in others), "")
    return (_cause_of(cause, errors) or cause) if cause else ""
