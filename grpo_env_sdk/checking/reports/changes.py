"""What changed since an earlier report, as text."""

from collections.abc import Iterator

from grpo_env_sdk.checking.findings.changes import COUNTS, Change, Changes
from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.terminal import finding_lines

_WORDS = {
    "new": "new", "worse": "worse", "better": "less severe", "gone": "gone", "waived": "waived now",
    "undecided": "not decided this time",
}  # fmt: skip


def change_lines(report: Report, again: str, colour: bool = False) -> Iterator[str]:
    """The changes: in full what is new or worse, and one line for everything else."""
    changes = report.changes
    assert changes is not None
    yield f"since {changes.since}: {_summary(report, changes)}"
    for difference in changes.differs:
        yield f"differs: {difference}"
    for change in changes.changes:
        first, *evidence = finding_lines(change.finding, colour)
        in_full = change.status in COUNTS and not change.finding.follows
        yield ("\n" if in_full else "") + _title(change, first)
        if in_full:
            yield from evidence
            yield f"    again     {again} --select {change.finding.check}"
    if changes.verdict is not None and changes.new_checks:
        yield f"checks that the earlier report did not have: {', '.join(changes.new_checks)}"


def _summary(report: Report, changes: Changes) -> str:
    if changes.verdict is None:
        return f"no earlier report on {report.name}, so every finding is new"
    counts = [f"{count} {words}" for status, words in _WORDS.items() if (count := changes.number(status))]  # type: ignore[arg-type]
    counts += [f"{changes.unchanged} as before"] if changes.unchanged else []
    moved = "" if changes.verdict == report.verdict else f"; {changes.verdict} before, {report.verdict} now"
    return (", ".join(counts) or "no findings, then or now") + moved


def _title(change: Change, line: str) -> str:
    before = f", {change.before} before" if change.status in ("worse", "better") else ""
    folded = f" ({advice(change.finding)})" if change.finding.follows and change.status in COUNTS else ""
    return f"{_WORDS[change.status]}{before}: {line}{folded}"
