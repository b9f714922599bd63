"""What a project waives in its pyproject.toml: by the id of an environment, or by `dist:id` in one package alone."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.contract.waiver_faults import fault_of
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.isolation.author_code.import_folders import find_here
from grpo_env_sdk.registry.lookup import specs
from grpo_env_sdk.registry.qualified import full_name, is_name_of
from grpo_env_sdk.types import EnvSpec

_HOW = 'Write lines such as G516 = "why" below it.'


@dataclass(frozen=True, slots=True)
class ProjectWaivers:
    """What a project waives of one environment, and the names in its file that no environment has."""

    reasons: Mapping[str, str] = field(default_factory=dict)
    """The reason of each waiver, by check or group."""
    of_nothing: Mapping[str, str] = field(default_factory=dict)
    """The next step for each name that no environment has."""


NO_WAIVERS = ProjectWaivers()


def project_waivers(env: EnvSpec, folder: Path) -> ProjectWaivers:
    """What the nearest pyproject.toml, in this folder or above, has in tables like `[tool.grpo-env.waive."hotel-v1"]`.

    A waiver for `dist:id` is about that package alone, and goes before one for the id.
    """
    path = next(
        (here / "pyproject.toml" for here in (folder, *folder.parents) if (here / "pyproject.toml").is_file()), None
    )
    if path is None:
        return NO_WAIVERS
    tables = _tables(path)
    ours = sorted((name for name in tables if is_name_of(name, env)), key=lambda name: name != env.id)
    reasons = {check: reason for name in ours for check, reason in _reasons(path, name, tables[name])}
    return ProjectWaivers(reasons, dict(_of_nothing([name for name in tables if name not in ours], path.parent)))


def _tables(path: Path) -> dict[str, Any]:
    """What stands under each name."""
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise UsageError(f"{path} cannot be read: {' '.join(str(exc).split())}.", "Fix the file.") from exc
    for name in ("tool", "grpo-env", "waive"):
        found = found.get(name, {})
        if not isinstance(found, dict):
            raise UsageError(f"{path}: {name} of [tool.grpo-env.waive] is {found!r:.80}.", _HOW)
    return found


def _reasons(path: Path, name: str, table: Any) -> Iterator[tuple[str, str]]:
    where = f'[tool.grpo-env.waive."{name}"]'
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {name} of {where} is {table!r:.80}.", _HOW)
    for check, reason in table.items():
        if fault := fault_of(check, reason):
            raise UsageError(f"{path}: {where}: the waiver {check!r} {fault}.", _HOW)
        yield check, reason


def _of_nothing(names: list[str], project: Path) -> Iterator[tuple[str, str]]:
    """The names that no environment has here, each with the next step; what may be an import path is not judged."""
    known = specs() if names else []
    for name in names:
        if any(is_name_of(name, env) for env in known) or _may_be_imported(name, project):
            continue
        near = [full_name(env.id, env.distribution) if ":" in name else env.id for env in known]
        yield name, f"{did_you_mean(name, near)} Write an id or package:id, as `grpo-env list` shows them.".strip()


def _may_be_imported(name: str, project: Path) -> bool:
    """Whether a name is an import path whose package is here, or in the folder of the project."""
    package = name.partition(":")[0].partition(".")[0]
    if ":" not in name or not package.isidentifier():
        return False
    there = PathFinder.find_spec(package, [str(project), str(project / "src")])
    return bool(package in sys.modules or there or find_here(package))
