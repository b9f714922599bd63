"""Waivers: findings that somebody has answered, with the reason, on the class or in the project's pyproject.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.check import all_checks, names
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.report import Report, Waived
from grpo_env_sdk.errors import UsageError

WAIVING = "C190"


def apply_waivers(report: Report, project: Mapping[str, str]) -> None:
    """Set aside what is waived, and tell which waivers are wrong or no longer needed."""
    waivers: dict[str, str] = {}
    for name, reason in _listed(report.waive):
        fault = fault_of(name, reason)
        if fault:
            hint = 'Write waive = {"E101": "why this is as it should be"}.'
            report.add(Finding(f"The waiver {name!r} {fault}.", hint, severity="error", check=WAIVING))
        else:
            waivers[name] = reason
    waivers |= project
    answered = {finding.check: _reason_for(finding, waivers) for finding in report.findings}
    report.waived = [Waived(finding, reason) for finding in report.findings if (reason := answered[finding.check])]
    report.findings = [finding for finding in report.findings if not answered[finding.check]]
    for name in waivers:
        if _has_run(name, report) and not any(names(name, all_checks()[one.finding.check]) for one in report.waived):
            message = f"The waiver {name!r} is not needed: nothing was found."
            report.add(Finding(message, "Remove it.", severity="info", check=WAIVING))


def fault_of(name: Any, reason: Any) -> str:
    """What is wrong with a waiver, or an empty string."""
    if not isinstance(name, str) or not any(names(name, check) for check in all_checks().values()):
        return "names no check or group"
    return "" if isinstance(reason, str) and reason.strip() else "has no reason"


def project_waivers(id: str, folder: Path) -> dict[str, str]:
    """What `[tool.grpo-env.waive."hotel-v1"]` says in the nearest pyproject.toml, in this folder or above."""
    path = next((here / "pyproject.toml" for here in (folder, *folder.parents) if _exists(here)), None)
    if path is None:
        return {}
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise UsageError(f"{path} cannot be read: {' '.join(str(exc).split())}.", "Mend it there.") from exc
    where = f'[tool.grpo-env.waive."{id}"]'
    found = told.get("tool", {}).get("grpo-env", {}).get("waive", {}).get(id, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: {where} is {found!r:.80}.", 'Write lines such as E101 = "why".')
    for name, reason in found.items():
        fault = fault_of(name, reason)
        if fault:
            raise UsageError(f"{path}: {where}: the waiver {name!r} {fault}.", 'Write lines such as E101 = "why".')
    return found


def _listed(waive: Any) -> list[tuple[Any, Any]]:
    if waive is None:
        return []
    return list(waive.items()) if isinstance(waive, Mapping) else [(waive, None)]


def _exists(folder: Path) -> bool:
    return (folder / "pyproject.toml").is_file()


def _reason_for(finding: Finding, waivers: Mapping[str, str]) -> str:
    if finding.check == WAIVING:
        return ""
    check = all_checks()[finding.check]
    return next((reason for name, reason in waivers.items() if names(name, check)), "")


def _has_run(name: str, report: Report) -> bool:
    return any(names(name, all_checks()[id]) for id in report.timings)
