"""A report as text: the verdict, then findings with their evidence, the most important first."""

import json
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.playing.episode_player import QUICK_EPISODE
from grpo_env_sdk.checking.findings.finding import Finding, Table, Undecided
from grpo_env_sdk.checking.findings.folding import advice, following
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.findings.transcript_text import is_transcript, turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import aligned, command_line, counted

SHOWN = {"error": 8, "warning": 4, "info": 0}
"""How many findings of a severity are shown without -v."""
MOST_CHECKS = 12
"""The most check ids in a line."""
WHAT_PROVES = (
    "See what the undecided checks need: an answer that scores, a model, or more time. --allow-unproven exits with 0."
)
_LINE = 110
_AROUND = 30
"""How many characters are shown before the first difference of two long values."""
_EFFORT = regex(" --(quick|thorough)")
_COLOURS = {"error": "31;1", "warning": "33", "info": "36", "sound": "32;1", "unproven": "33;1"}
_COLOURS |= dict.fromkeys(("findings", "untestable"), "31;1")


def report_lines(report: Report, again: str, verbose: bool = False, colour: bool = False) -> Iterator[str]:
    """The lines of a report; `again` is the command that produced it, and each finding adds its id to it."""
    yield first_line(report, colour)
    if report.verdict == "unproven":
        yield from unproven_lines(report, again)
    for severity, most in SHOWN.items():
        found = [finding for finding in report.causes if finding.severity == severity]
        shown = found if verbose else found[:most]
        for finding, next_one in zip(shown, [*shown[1:], None], strict=False):
            yield ""
            yield from finding_lines(finding, colour)
            if next_one is None or next_one.check != finding.check:
                yield f"    again     {select_again(again, finding.check)}"
                yield from _following_lines(report, finding.check, verbose, colour)
        if len(found) > len(shown):
            yield f"\n{counted(len(found) - len(shown), f'more {severity}')}: -v shows all."
    for waived in report.waived:
        message = shorten(waived.finding.message, 80, placeholder=" ...")
        yield f"waived {waived.finding.severity} {waived.finding.check}  {message}  ({waived.reason})"
    if report.undecided:
        yield ""
        for gap in report.undecided:
            yield from gap_lines(gap, again)
    if verbose:
        yield from _details(report)


def first_line(report: Report, colour: bool = False) -> str:
    """The verdict, and what was tried in how many seconds."""
    return f"{report.name}: {_paint(report.verdict_text, _kind(report), colour)}  {_summary(report)}"


def _kind(report: Report) -> str:
    """What colours the verdict: warnings do, where nothing is worse."""
    return "warning" if report.ok and report.count("warning") else report.verdict


def _following_lines(report: Report, check: str, verbose: bool, colour: bool) -> Iterator[str]:
    """What follows from the findings of a check: one line each, and all of it with -v."""
    for finding in following(report.findings, check):
        cut = not verbose and len(finding.message) > _LINE
        text = f"{finding.message[:_LINE]}..." if cut else finding.message
        severity = _paint(str(finding.severity), str(finding.severity), colour)
        yield f"    {severity} {finding.check}  {advice(finding)}. {text}"
        if verbose:
            yield from (f"    {line}" for line in list(finding_lines(finding))[1:])


def unproven_lines(report: Report, again: str) -> Iterator[str]:
    """Why nothing is proven, and what would help."""
    yield ""
    for why in report.unproven:
        yield f"unproven  {why}"
    yield f"    fix       {WHAT_PROVES}"
    yield f"    again     {again} --timeout 600"


def fix_lines(report: Report) -> Iterator[str]:
    """One line per cause: what to change, and why; where an earlier report is known, only for what is new or worse."""
    for why in report.unproven if report.fails_unproven else ():
        yield f"unproven {WHAT_PROVES}  [{why}]"
    for finding in filter(report.is_news, report.causes):
        yield f"{finding.check} {finding.hint or 'See the report.'}  [{finding.message}]"


def _summary(report: Report) -> str:
    facts, counts = report.facts, {name: report.count(name) for name in SHOWN}
    parts = [f"{len(report.timings)} checks in {report.seconds:.1f} s"]
    if facts:
        rows, checked = facts["rows"], facts["checked_rows"]
        parts.append(f"tried {checked} of {rows} rows" if 0 < checked < rows else f"{rows} rows")
        if (seconds := facts.get("episode_seconds") or 0.0) > QUICK_EPISODE:
            groups = " and ".join(f"{name} on {count}" for name, count in report.rows_of_groups.items() if count)
            parts += [f"{groups}, as an episode takes {seconds:.2g} s"] if groups else []
        parts += [f"gold from {facts['gold']}"] if facts["gold"] else []
    parts += [counted(count, name) for name, count in counts.items() if count]
    if folds := len(report.findings) - len(report.causes):
        parts.append(f"{folds} that follow{'s' if folds == 1 else ''}")
    if report.undecided:
        parts.append(f"{len(report.open)} undecided")
    return ", ".join(parts)


def finding_lines(finding: Finding, colour: bool = False) -> Iterator[str]:
    """One finding with its evidence and the fix."""
    severity = finding.severity or "error"
    yield f"{_paint(severity, severity, colour)} {finding.check}  {finding.message}"
    if finding.row is not None:
        yield f"    row       {finding.row}"
    output, expected = _difference_shown(finding.output, finding.expected)
    for name, value in (("input", finding.input), ("output", output), ("expected", expected)):
        if value is not None:
            yield f"    {name:9} {_short(value)}"
    if finding.hint:
        yield f"    fix       {finding.hint}"


def gap_lines(gap: Undecided, again: str) -> Iterator[str]:
    """What could not be decided, which checks are affected, and what would help."""
    yield f"undecided  {gap.why}"
    more = len(gap.checks) - MOST_CHECKS
    named = ", ".join(gap.checks[:MOST_CHECKS]) + (f" and {more} more: -v shows all" if more > 0 else "")
    yield f"    {'checks' if len(gap.checks) > 1 else 'check':9} {named}"
    if gap.would_help:
        yield f"    fix       {gap.would_help}"
    if gap.flags is not None:
        yield f"    again     {rerun(gap, again)}"


def gap_text(gap: Undecided, again: str) -> str:
    """A gap in one line, without its checks."""
    return f"{gap.why} {what_helps(gap, again)}".rstrip()


def what_helps(gap: Undecided, again: str) -> str:
    """What would make it testable, with the command if another run may decide it."""
    return gap.would_help if gap.flags is None else f"{gap.would_help} {rerun(gap, again)}"


def select_again(again: str, checks: str) -> str:
    """The command that runs only these checks again."""
    return f"{again} --select {checks}"


def rerun(gap: Undecided, again: str) -> str:
    """The command that may decide a gap."""
    again = _EFFORT.sub("", again) if _EFFORT.search(f" {gap.flags}") else again
    again = again.replace(" --quick", "") if gap.for_time else again
    return f"{select_again(again, ','.join(gap.checks))} {gap.flags}".rstrip()


def _details(report: Report) -> Iterator[str]:
    """The result, time and title of every check, and the tables."""
    yield ""
    found = {finding.check: finding.severity for finding in reversed(report.findings)}
    for id, seconds in report.timings.items():
        how = found.get(id) or ("undecided" if id in report.open else "ok")
        yield f"{how:9} {id} {seconds:6.2f} s  {all_checks()[id].title}"
    for exhibit in report.exhibits:
        if isinstance(exhibit, Table) and exhibit.rows:
            yield f"\n{exhibit.title} ({exhibit.check})"
            yield from table_lines(exhibit.columns, exhibit.rows)
            yield from [exhibit.note] if exhibit.note else []
    plots = [exhibit.title for exhibit in report.exhibits if not isinstance(exhibit, Table)]
    if plots:
        yield f"\n--html FILE shows plots: {'; '.join(plots)}"


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A table with its columns aligned."""
    cells = [list(columns), *([_cell(value) for value in row] for row in rows)]
    yield from (f"  {line}" for line in aligned(cells))


def command_for(env: str, argv: Sequence[str] = ()) -> str:
    """The command that runs the same checks again on one environment."""
    return command_line("test", env, *argv)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else _short(value, 48) if value not in ("", None) else ""


def _difference_shown(output: Any, expected: Any) -> tuple[Any, Any]:
    """Both values from shortly before their first difference, where it would be cut off."""
    if output is None or expected is None or output == expected:
        return output, expected
    one, other = _one_line(output), _one_line(expected)
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if same < _LINE - _AROUND:
        return output, expected
    return f"...{one[same - _AROUND :]}", f"...{other[same - _AROUND :]}"


def _one_line(value: Any) -> str:
    if is_transcript(value):
        value = turns_text(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if text.isprintable() and text.strip() else json.dumps(text, ensure_ascii=False)


def _short(value: Any, most: int = _LINE) -> str:
    text = _one_line(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def _paint(text: str, kind: str, colour: bool) -> str:
    return f"\033[{_COLOURS[kind]}m{text}\033[0m" if colour else text
