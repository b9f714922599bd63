"""A report as `grpo-env test --json` prints it: with the place of each finding, and the command to run again."""

from typing import Any

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.source_places import with_places
from grpo_env_sdk.checking.reports.terminal import rerun, select_again


def report_json(report: Report, entry_point: str, again: str) -> dict[str, Any]:
    """The report, where `again` is the command that produced it; a place that is not known is None."""
    findings = [
        {**finding.as_json(), "file": file or None, "line": line or None, "again": select_again(again, finding.check)}
        for finding, (file, line) in with_places(report.findings, entry_point)
    ]
    gaps = [{**gap.as_json(), "again": None if gap.flags is None else rerun(gap, again)} for gap in report.undecided]
    return {**report.as_json(), "findings": findings, "undecided": gaps}
