"""Waivers on a report: findings that the author or the project accepts are moved aside."""

import time
from collections.abc import Mapping

from grpo_env_sdk.checking.check import all_checks, names
from grpo_env_sdk.checking.contract.waiver_faults import WAIVING, fault_of, listed, waivers_are_answers
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.report import Report, Waived
from grpo_env_sdk.checking.reports.project_waivers import NO_WAIVERS, ProjectWaivers


def apply_waivers(report: Report, project: ProjectWaivers | None = NO_WAIVERS, timed: bool = False) -> None:
    """Move waived findings aside, and check the waivers themselves; `timed` lists that check among those that ran.

    With None for the project no waiver counts, not even one on the class.
    """
    started = time.monotonic()
    if project is not None:
        on_class = {name: reason for name, reason in listed(report.waive) if not fault_of(name, reason)}
        report.waivers = {**on_class, **project.reasons}
        report.waivers_of_nothing = project.of_nothing
    answered = {finding.check: _reason_for(finding, report.waivers) for finding in report.findings}
    report.waived = [Waived(finding, reason) for finding in report.findings if (reason := answered[finding.check])]
    report.findings = [finding for finding in report.findings if not answered[finding.check]]
    for item in list(waivers_are_answers(report)):
        report.add(item)
    if timed:
        report.timings[WAIVING] = round(time.monotonic() - started, 3)


def _reason_for(finding: Finding, waivers: Mapping[str, str]) -> str:
    if finding.check == WAIVING:
        return ""
    check = all_checks()[finding.check]
    return next((reason for name, reason in waivers.items() if names(name, check)), "")
