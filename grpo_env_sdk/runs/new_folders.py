"""The folder of a run that nobody named."""

import re
import time
from functools import partial
from pathlib import Path

from grpo_env_sdk.runs.guarded_files import NOT_BEGUN, guarded
from grpo_env_sdk.runs.reading import RunError


def new_folder(parent: Path, name: str) -> Path:
    """A folder that does not exist yet, named for the run and the time."""
    words = re.sub(r"[^\w.-]+", "-", name).strip("-")[:80]
    stem = f"{words}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = parent / stem
    number = 2
    while folder.exists():
        folder, number = parent / f"{stem}-{number}", number + 1
    return folder


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
