"""Waivers: findings that the author accepts, with a reason, on the class or in the project's pyproject.toml."""

import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.check import all_checks, names
from grpo_env_sdk.checking.contract.waiver_faults import WAIVING, fault_of, listed, waivers_are_answers
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.report import Report, Waived
from grpo_env_sdk.errors import UsageError


def apply_waivers(report: Report, project: Mapping[str, str], timed: bool = False) -> None:
    """Move waived findings aside, and check the waivers themselves; `timed` lists that check among those that ran."""
    started = time.monotonic()
    on_class = {name: reason for name, reason in listed(report.waive) if not fault_of(name, reason)}
    report.waivers = {**on_class, **project}
    answered = {finding.check: _reason_for(finding, report.waivers) for finding in report.findings}
    report.waived = [Waived(finding, reason) for finding in report.findings if (reason := answered[finding.check])]
    report.findings = [finding for finding in report.findings if not answered[finding.check]]
    for item in list(waivers_are_answers(report)):
        report.add(item)
    if timed:
        report.timings[WAIVING] = round(time.monotonic() - started, 3)


def project_waivers(id: str, folder: Path) -> dict[str, str]:
    """What `[tool.grpo-env.waive."hotel-v1"]` says in the nearest pyproject.toml, in this folder or above."""
    path = next(
        (here / "pyproject.toml" for here in (folder, *folder.parents) if (here / "pyproject.toml").is_file()), None
    )
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise UsageError(f"{path} cannot be read: {' '.join(str(exc).split())}.", "Fix the file.") from exc
    where = f'[tool.grpo-env.waive."{id}"]'
    found: dict[str, Any] = content
    for name in ("tool", "grpo-env", "waive", id):
        found = found.get(name, {})
        if not isinstance(found, dict):
            wrong = f"{path}: {name} of {where} is {found!r:.80}."
            raise UsageError(wrong, 'Write lines such as G516 = "why" below it.')
    for name, reason in found.items():
        fault = fault_of(name, reason)
        if fault:
            raise UsageError(f"{path}: {where}: the waiver {name!r} {fault}.", 'Write lines such as G516 = "why".')
    return found


def _reason_for(finding: Finding, waivers: Mapping[str, str]) -> str:
    if finding.check == WAIVING:
        return ""
    check = all_checks()[finding.check]
    return next((reason for name, reason in waivers.items() if names(name, check)), "")
