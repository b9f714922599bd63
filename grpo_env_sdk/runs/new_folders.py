"""The folder of a new run: one that nobody named, and whether one can be taken."""

import re
import shlex
import time
from functools import partial
from pathlib import Path

from grpo_env_sdk.isolation.calls.command_process import in_folder_of_command
from grpo_env_sdk.runs.guarded_files import LOCK, NOT_BEGUN, guarded
from grpo_env_sdk.runs.reading import LIST, MANIFEST, RunError
from grpo_env_sdk.runs.running import is_running

_LEFT = {LOCK, f".{MANIFEST}.new"}
"""What a command leaves that was killed before there was a run."""


def new_folder(parent: Path, name: str) -> Path:
    """A folder that does not exist yet, named for the run and the time."""
    stem = f"{as_words(name)}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = parent / stem
    number = 2
    while folder.exists():
        folder, number = parent / f"{stem}-{number}", number + 1
    return folder


def as_words(name: str) -> str:
    """The name of an environment or a model as that of a folder."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-")[:80]


def take_folder(folder: Path) -> Path:
    """The folder, created; with a number where another command took a folder of that name in the same second."""
    found, number = folder, 2
    while True:
        try:
            guarded(folder, partial(found.mkdir, parents=True), NOT_BEGUN)
        except RunError as exc:
            if not isinstance(exc.__cause__, FileExistsError) or not folder.parent.is_dir():
                raise
            found, number = folder.with_name(f"{folder.name}-{number}"), number + 1
        else:
            return found


def check_free(folder: Path, is_locked: bool = False) -> None:
    """Raise if a path cannot become the folder of a new run: it is a file, or not empty.

    `is_locked` is for the one who has the lock of the folder, which nobody else writes then.
    """
    guarded(folder, partial(_check_free, folder, in_folder_of_command(folder), is_locked), NOT_BEGUN)


def _check_free(folder: Path, there: Path, is_locked: bool) -> None:
    if there.exists() and not there.is_dir():
        raise RunError(f"{str(folder)!r} is not a folder.", "Take another --out.")
    if (there / LIST).exists():
        hint = f"Resume them with --resume {shlex.quote(str(folder))}, or take another --out."
        raise RunError(f"{str(folder)!r} already has runs.", hint)
    if (there / MANIFEST).exists():
        if not is_locked and is_running(there):
            raise RunError(f"Another process is writing a run to {str(folder)!r}.", "Take another --out.")
        hint = f"Resume it with --resume {shlex.quote(str(folder))}, or take another --out."
        raise RunError(f"{str(folder)!r} already has a run.", hint)
    if there.exists() and {path.name for path in there.iterdir()} - _LEFT:
        raise RunError(f"{str(folder)!r} is not empty.", "Take another --out.")
