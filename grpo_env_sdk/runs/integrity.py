"""Whether a run folder is as its owner left it: its signature, and files that would not stay in the folder."""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.runs.record_shapes import read_data
from grpo_env_sdk.runs.signing import digest_of, is_signed, signed

SEAL = "grpo_env_seal.json"
_DEEPEST_FOLDER = 50


def sign_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest as it will be read again, without secrets, and with a signature."""
    return signed(json.loads(redacted(json.dumps(manifest, ensure_ascii=False, default=repr))))


def is_own(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether this user has written the manifest and the files that it names, and nobody has changed them."""
    return is_signed(manifest) and all(
        is_bare_name(name) and _digest(folder / name) == digest for name, digest in manifest.get("files", {}).items()
    )


def is_bare_name(name: str) -> bool:
    """Whether a reference to a file leads to no other folder."""
    return name not in ("", ".", "..") and not set(name) & {"\0", "/", "\\"}


def seal(folder: Path, names: Iterable[str]) -> None:
    """Sign the content of files in a folder, which can run code when they are loaded."""
    kept = signed({"files": {name: _digest(folder / name) for name in names}})
    (folder / SEAL).write_text(json.dumps(kept), encoding="utf-8")


def is_sealed(folder: Path, names: Iterable[str]) -> bool:
    """Whether this user has written these files of a folder, and nobody has changed them since."""
    try:
        kept = read_data(folder / SEAL)
    except (OSError, ValueError):
        return False
    files = {name: _digest(folder / name) for name in names}
    return isinstance(kept, dict) and is_signed(kept) and kept["files"] == files and None not in files.values()


def strays(folder: Path) -> list[str]:
    """What must not be written to or copied: links that lead out of the folder, and files that are no files."""
    root, found = folder.resolve(), []
    open_folders = [root]
    while open_folders:
        for path in _entries(open_folders.pop()):
            mode, inside = path.lstat().st_mode, path.relative_to(root)
            if stat.S_ISLNK(mode):
                if not Path(os.path.realpath(path)).is_relative_to(root):
                    found.append(f"{inside} is a link that leads out of it")
            elif stat.S_ISDIR(mode) and len(inside.parts) > _DEEPEST_FOLDER:
                found.append(f"{inside.parts[0]} has folders nested more than {_DEEPEST_FOLDER} deep")
            elif stat.S_ISDIR(mode):
                open_folders.append(path)
            elif not stat.S_ISREG(mode):
                found.append(f"{inside} is neither a file nor a folder")
    return found


def _entries(folder: Path) -> list[Path]:
    """What is in a folder; of one that cannot be read nothing is used."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _digest(path: Path) -> str | None:
    try:
        return None if path.is_symlink() else digest_of(path)
    except OSError:
        return None
