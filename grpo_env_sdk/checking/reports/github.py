"""A report as workflow commands, which GitHub shows next to the code."""

from collections.abc import Iterator
from pathlib import Path

from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.terminal import WHAT_PROVES
from grpo_env_sdk.isolation.author_code.import_folders import find_here
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import printable
from grpo_env_sdk.registry.sources import definition_of

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
_FIX = "\nfix: "
_PLACE = regex(r"\(([^\s()]+\.py):(\d+)\)")


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
    """The path of a file in the repository, or of the same file of its package there.

    One that is not found is unchanged; that of an installed copy, which is elsewhere, is empty.
    """
    found = find_here(package) if package and "/" not in file else None
    folders = (found.submodule_search_locations if found else None) or ()
    files = [Path(file)] if "/" in file else [path for folder in folders for path in Path(folder).rglob(file)]
    paths = list(filter(None, map(_in_repository, files)))
    if not paths and package in (parts := Path(file).parts):
        inner = Path(*parts[parts.index(package) :])
        paths = list(filter(None, map(_in_repository, (inner, "src" / inner))))
    return paths[0] if len(paths) == 1 else "" if Path(file).is_absolute() else file


def _place_of_class(entry_point: str) -> tuple[str, str]:
    """The path in the repository and the line of the class of an entry point; empty where it is not there."""
    found = definition_of(entry_point, find_here) if entry_point else None
    path = _in_repository(found[0]) if found else ""
    return (path, str(found[1].lineno)) if found and path else ("", "")


def _in_repository(file: Path) -> str:
    """The path of a file below the folder of the repository, or the working folder; empty where it is not there."""
    here, path = Path.cwd(), file.resolve()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    inside = path.is_file() and path.is_relative_to(root) and "site-packages" not in path.parts
    return path.relative_to(root).as_posix() if inside else ""


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
