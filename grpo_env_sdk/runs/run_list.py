"""A folder with the runs of one command that evaluates several environments, and the list of them all."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.files.path_errors import next_step
from grpo_env_sdk.isolation.calls.command_process import in_folder_of_command
from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.runs.guarded_files import NOT_BEGUN, guarded
from grpo_env_sdk.runs.integrity import is_bare_name
from grpo_env_sdk.runs.new_folders import as_words
from grpo_env_sdk.runs.reading import LIST, RunError
from grpo_env_sdk.runs.record_shapes import read_data
from grpo_env_sdk.runs.value_tests import Test, label, list_of, mapping, optional, shape
from grpo_env_sdk.runs.writing import write_whole

FORMAT = "evaluations-v1"
_ENTRY: dict[str, Test] = {"env": label, "distribution": optional(label), "run": optional(label), "error": mapping}


@dataclass(frozen=True, slots=True)
class Listed:
    """One environment of the command: the name of its run in the folder, or why it has none."""

    env: str
    distribution: str | None
    run: str | None
    error: Mapping[str, Any]
    """Its `type`, `message` and `hint`; empty where there is a run."""


def write_list(folder: Path, listed: Iterable[Listed]) -> None:
    """Write the list of a folder, which is created."""
    there = in_folder_of_command(folder)
    guarded(folder, lambda: there.mkdir(parents=True, exist_ok=True), NOT_BEGUN)
    data = {"format": FORMAT, "evaluations": [asdict(one) for one in listed]}
    guarded(folder, lambda: write_whole(there / LIST, data), NOT_BEGUN)


def read_list(folder: Path) -> list[Listed] | None:
    """What a folder lists, in the order of the command; None where it has no list."""
    path = in_folder_of_command(folder) / LIST
    if not path.exists():
        return None
    try:
        return _parsed(read_data(path))
    except (OSError, ValueError) as exc:
        what = f"{folder / LIST} cannot be read: {exc}."
        raise RunError(what, next_step(exc, "Restore it, or resume each run by itself.")) from exc


def check_stays(run: Path) -> None:
    """Raise where the folder of a listed run is a link, as what is resumed then may be a run of another folder."""
    if in_folder_of_command(run).is_symlink():
        hint = f"If you mean that one, name it: {command_line('eval', '--resume', run)}"
        raise RunError(f"{str(run)!r} is a link to another folder.", hint)


def _parsed(data: Any) -> list[Listed]:
    known = isinstance(data, dict) and data.get("format") == FORMAT
    if not known or not list_of(shape(_ENTRY))(data.get("evaluations")):
        raise ValueError("it has another format")
    found = [Listed(**{name: item[name] for name in _ENTRY}) for item in data["evaluations"]]
    if not found:
        raise ValueError("it lists no environment")
    if odd := next((one.run for one in found if one.run is not None and not is_bare_name(one.run)), None):
        raise ValueError(f"{json.dumps(odd)} is no name of a folder in it")
    return found


def names_of_runs(envs: Sequence[tuple[str, str | None]]) -> list[str]:
    """The name of each run, by id and package: `hotel-v1`, or `acme-hotel-v1` where several packages have the id."""
    ids = [id for id, _ in envs]
    found: list[str] = []
    for id, package in envs:
        name = as_words(f"{package}-{id}" if package and ids.count(id) > 1 else id)
        while name in found:
            name += "-2"
        found.append(name)
    return found
