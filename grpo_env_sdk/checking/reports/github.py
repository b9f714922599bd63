"""A report as workflow commands, which GitHub shows next to the code."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.terminal import WHAT_PROVES
from grpo_env_sdk.isolation.author_code.import_folders import find_here
from grpo_env_sdk.plain_text import printable

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
_FIX = "\nfix: "
_PLACE = re.compile(r"\(([^\s()]+\.py):(\d+)\)")


def github_lines(report: Report, entry_point: str = "", allow_unproven: bool = False) -> Iterator[str]:
    """One `::error file=...,line=...::` per finding, at the line that it names or at that of the class, with its fix.

    What follows from another finding, or was in the report that `--diff` names, is only a notice.
    """
    package, at_class = entry_point.partition(":")[0].partition(".")[0], _place_of_class(entry_point)
    for why in report.unproven if report.verdict == "unproven" else ():
        level = "error" if report.fails_unproven and not allow_unproven else "warning"
        yield f"::{level} title={_property(f'unproven {report.env}')}::{_data(f'{why}{_FIX}{WHAT_PROVES}')}"
    for finding in report.findings:
        place = _PLACE.search(f"{finding.message} {finding.cause}")
        file, line = (_path(place[1], package), place[2]) if place else at_class
        where = f"file={_property(file)},line={line}," if file else ""
        title = f"title={_property(f'{finding.check} {report.env}')}"
        fix = advice(finding) if finding.follows else finding.hint
        text = f"{finding.message}{_FIX}{fix}" if fix else finding.message
        known = finding.follows or not report.is_news(finding)
        level = "notice" if known else _LEVELS[finding.severity or "error"]
        yield f"::{level} {where}{title}::{_data(text)}"


def _path(file: str, package: str) -> str:
    """The relative path of a file that is named without its folders; unchanged if it is not found in the package."""
    found = find_here(package) if package and "/" not in file else None
    folders = (found.submodule_search_locations if found else None) or ()
    paths = [os.path.relpath(path) for folder in folders for path in Path(folder).rglob(file)]
    return paths[0] if len(paths) == 1 and not paths[0].startswith("..") else file


def _place_of_class(entry_point: str) -> tuple[str, str]:
    """The relative path of the module in `module:Class` and the line of the class; empty where it is not there."""
    module, _, name = entry_point.partition(":")
    package, *parts = module.split(".")
    found = find_here(package) if package else None
    folders = (found.submodule_search_locations if found else None) or ()
    inside = [Path(folder, *parts[:-1], last) for folder in folders for last in _files_of(parts)]
    for file in inside if folders else [Path((found and found.origin) or "")]:
        path = os.path.relpath(file)
        if file.is_file() and not path.startswith(".."):
            text = file.read_text(encoding="utf-8", errors="replace")
            if match := re.search(rf"^(?:class|def) {re.escape(name)}\b", text, re.MULTILINE):
                return path, str(text.count("\n", 0, match.start()) + 1)
    return "", ""


def _files_of(parts: Sequence[str]) -> tuple[str, ...]:
    return (f"{parts[-1]}.py", f"{parts[-1]}/__init__.py") if parts else ("__init__.py",)


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
