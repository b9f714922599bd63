"""Which checkpoints are whole: a marker, written last, has the size and the hash of every file."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

OURS = "grpo_env_"
"""With what the names of our own files in a checkpoint begin."""
MARKER = f"{OURS}checkpoint.json"
UNFINISHED = f".{MARKER}.new"
"""There from before the environment's state is written until the marker is."""
TRAINER_STATE = "trainer_state.json"
"""What the trainer knows of itself; transformers writes it last."""
_LAST_OF_EARLIER_VERSIONS = ("grpo_env_state.json", "grpo_env_state.pkl")
_HASHED_UP_TO = 2**26
"""Files of more bytes are compared by their size alone: hashing all weights would take minutes."""


def mark_unfinished(checkpoint: Path) -> None:
    """Say that the marker is still to come: a checkpoint without both is one of an earlier version."""
    (checkpoint / UNFINISHED).touch()


def mark_whole(checkpoint: Path, processes: int) -> None:
    """Write the marker, once everything else is on the disk."""
    files = {str(path.relative_to(checkpoint)): _state_of(path) for path in _files_of(checkpoint)}
    new = checkpoint / UNFINISHED
    with new.open("w", encoding="utf-8") as file:
        json.dump({"processes": processes, "files": files}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.replace(checkpoint / MARKER)


def in_order(folder: Path) -> dict[int, Path]:
    """The checkpoints in a folder by their steps, the earliest first, whole or not."""
    named = [(path.name.rpartition("-")[2], path) for path in folder.glob("checkpoint-*")]
    return dict(sorted((int(step), path) for step, path in named if step.isdecimal() and len(step) < 19))


def drop_older(checkpoint: Path, keep: int | None, best: str | None) -> None:
    """Remove the checkpoints before this one that are too many, but never the best."""
    if not keep:
        return
    found = [*in_order(checkpoint.parent).values()]
    protected = {checkpoint, Path(best)} if best else {checkpoint}
    others = [path for path in found if path not in protected]
    for path in others[: max(0, len(found) - max(keep, len(protected)))]:
        shutil.rmtree(path, ignore_errors=True)


def was_ended(checkpoint: Path) -> bool:
    """Whether a checkpoint was written to its end; a file of it may have been cut or lost since."""
    if (checkpoint / MARKER).is_file():
        return True
    if (checkpoint / UNFINISHED).exists():
        return False
    names = (TRAINER_STATE, *_LAST_OF_EARLIER_VERSIONS)
    state, *last = ((checkpoint / name).is_file() for name in names)
    return state and any(last)


def fault_of(checkpoint: Path) -> str | None:
    """Why a training cannot go on from a checkpoint, in words; None where it is whole."""
    if not was_ended(checkpoint):
        return "it was not written to its end"
    if not (checkpoint / MARKER).is_file():
        return None
    try:
        files = _read(checkpoint)["files"]
        faults = (_fault_of(checkpoint / name, name, *state) for name, state in files.items())
        return next(filter(None, faults), None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"its {MARKER} cannot be read"


def processes_of(checkpoint: Path) -> int | None:
    """How many processes wrote a whole checkpoint; None where an earlier version did."""
    if not (checkpoint / MARKER).is_file():
        return None
    found = _read(checkpoint).get("processes")
    return found if isinstance(found, int) else None


def _read(checkpoint: Path) -> Any:
    return json.loads((checkpoint / MARKER).read_text(encoding="utf-8"))


def _files_of(checkpoint: Path) -> list[Path]:
    return sorted(path for path in checkpoint.rglob("*") if path.is_file() and MARKER not in path.name)


def _state_of(path: Path) -> tuple[int, str | None]:
    """The size and the hash of a file that is on the disk for good."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    size = path.stat().st_size
    return size, _hash_of(path) if size <= _HASHED_UP_TO else None


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fault_of(path: Path, name: str, size: int, digest: str | None) -> str | None:
    if not path.is_file():
        return f"{name} is missing"
    if (found := path.stat().st_size) != size:
        return f"{name} has {found:,} bytes, not {size:,}"
    return f"{name} has changed since it was written" if digest and _hash_of(path) != digest else None
