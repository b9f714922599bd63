"""Waivers are checked too: a wrong or unnecessary waiver is reported."""

from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.check import all_checks, check, names
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.report import Report

WAIVING = "C190"


@check(WAIVING, needs=(), of="report")
def waivers_are_answers(report: Report) -> Iterator[Finding]:
    """Each waiver names a check, gives a reason and is still needed."""
    for name, reason in listed(report.waive):
        fault = fault_of(name, reason)
        if fault:
            hint = 'Write waive = {"G516": "why this is intended"}.'
            yield Finding(f"The waiver {name!r} {fault}.", hint, severity="error", check=WAIVING)
    for name in report.waivers:
        if _has_run(name, report) and not any(names(name, all_checks()[one.finding.check]) for one in report.waived):
            message = f"The waiver {name!r} is not needed: there is no such finding."
            yield Finding(message, "Remove it.", severity="info", check=WAIVING)
    for name, hint in report.waivers_of_nothing.items():
        message = f"pyproject.toml has waivers for {name!r}, and no installed environment has that name."
        yield Finding(message, hint, severity="info", check=WAIVING)


def fault_of(name: Any, reason: Any) -> str:
    """What is wrong with a waiver, or an empty string."""
    if isinstance(name, list | tuple | set):
        return "has no reason"
    if not isinstance(name, str) or not any(names(name, check) for check in all_checks().values()):
        return "names no check or group"
    return "" if isinstance(reason, str) and reason.strip() else "has no reason"


def listed(waive: Any) -> list[tuple[Any, Any]]:
    """The waivers on a class as pairs of name and reason; anything but a dict has no reasons."""
    if waive is None:
        return []
    return list(waive.items()) if isinstance(waive, Mapping) else [(waive, None)]


def _has_run(name: str, report: Report) -> bool:
    return any(names(name, all_checks()[id]) for id in report.timings)
