"""The file and the line in the repository that a finding is about."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.isolation.author_code.import_folders import find_here
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.registry.sources import definition_of

Place = tuple[str, int]
NOWHERE: Place = ("", 0)
_PLACE = regex(r"\(([^\s()]+\.py):(\d+)\)")


def with_places(findings: Iterable[Finding], entry_point: str) -> Iterator[tuple[Finding, Place]]:
    """Each finding with the place that it names or that of the class, `NOWHERE` if it is not in the repository."""
    package, at_class = entry_point.partition(":")[0].partition(".")[0], _place_of_class(entry_point)
    for finding in findings:
        named = _PLACE.search(f"{finding.message} {finding.cause}")
        file = _path(named[1], package) if named else ""
        yield finding, (file, int(named[2])) if named and file else NOWHERE if named else at_class


def _path(file: str, package: str) -> str:
    """The path of a file in the repository, or of the same file of its package there.

    One in a folder that is not found is unchanged; a bare name, or that of an installed copy elsewhere, is empty.
    """
    found = find_here(package) if package and "/" not in file else None
    folders = (found.submodule_search_locations if found else None) or ()
    files = [Path(file)] if "/" in file else [path for folder in folders for path in Path(folder).rglob(file)]
    if found and found.origin and Path(found.origin).name == file and not files:
        files = [Path(found.origin)]
    paths = list(filter(None, map(_in_repository, files)))
    if not paths and package in (parts := Path(file).parts):
        inner = Path(*parts[parts.index(package) :])
        paths = list(filter(None, map(_in_repository, (inner, "src" / inner))))
    return paths[0] if len(paths) == 1 else "" if Path(file).is_absolute() or "/" not in file else file


def _place_of_class(entry_point: str) -> Place:
    """The path in the repository and the line of the class of an entry point; empty where it is not there."""
    found = definition_of(entry_point, find_here) if entry_point else None
    path = _in_repository(found[0]) if found else ""
    return (path, found[1].lineno) if found and path else NOWHERE


def _in_repository(file: Path) -> str:
    """The path of a file below the folder of the repository, or the working folder; empty where it is not there."""
    here, path = Path.cwd(), file.resolve()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    inside = path.is_file() and path.is_relative_to(root) and "site-packages" not in path.parts
    return path.relative_to(root).as_posix() if inside else ""
