"""A report as workflow commands, which GitHub shows next to the code."""

from collections.abc import Iterator

from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.checking.findings.outcomes import Untestable
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.source_places import with_places
from grpo_env_sdk.checking.reports.terminal import WHAT_PROVES
from grpo_env_sdk.plain_text import printable

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
_FIX = "\nfix: "


def github_lines(report: Report, entry_point: str = "", allow_unproven: bool = False) -> Iterator[str]:
    """One `::error file=...,line=...::` per finding, at the line that it names or at that of the class, with its fix.

    What follows from another finding, or was in the report that `--diff` names, is only a notice.
    """
    for why in report.unproven if report.verdict == "unproven" else ():
        level = "error" if report.fails_unproven and not allow_unproven else "warning"
        yield f"::{level} title={_property(f'unproven {report.name}')}::{_data(f'{why}{_FIX}{WHAT_PROVES}')}"
    for finding, (file, line) in with_places(report.findings, entry_point):
        where = f"file={_property(file)},line={line}," if file else ""
        title = f"title={_property(f'{finding.check} {report.name}')}"
        fix = advice(finding) if finding.follows else finding.hint
        text = f"{finding.message}{_FIX}{fix}" if fix else finding.message
        known = finding.follows or not report.is_news(finding)
        level = "notice" if known else _LEVELS[finding.severity or "error"]
        yield f"::{level} {where}{title}::{_data(text)}"


def untestable_line(untestable: Untestable) -> str:
    """One `::error` for an environment on which there is no report."""
    error = untestable.error
    text = f"{error.message}{_FIX}{error.hint}" if error.hint else error.message
    return f"::error title={_property(f'untestable {untestable.name}')}::{_data(text)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
