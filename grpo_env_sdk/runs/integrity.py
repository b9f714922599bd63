"""Whether a run folder is as its owner left it: its signature, and files that would not stay in the folder."""

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.runs.record_shapes import MOST_LINE, open_regular, read_data
from grpo_env_sdk.runs.signing import digest_of, is_signed, signed

SEAL = "grpo_env_seal.json"
_DEEPEST_FOLDER = 50
_CHUNK = 1 << 20


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


def seal(folder: Path, names: Iterable[str], seen: Iterable[str] = ()) -> None:
    """Sign the content of files in a folder, which can run code when they are loaded.

    `seen` names more files, of which only the content is kept: somebody else may have written a part of it.
    """
    files, more = ({name: _digest(folder / name) for name in group} for group in (names, seen))
    sizes = {name: (folder / name).stat().st_size for name, digest in (files | more).items() if digest}
    (folder / SEAL).write_text(json.dumps(signed({"files": files, "seen": more, "sizes": sizes})), encoding="utf-8")


def is_sealed(folder: Path, names: Iterable[str]) -> bool:
    """Whether this user has written these files of a folder, and nobody has changed them since."""
    kept, names = Seal(folder), set(names)
    return kept.signed and kept.files.keys() == names and all(map(kept.holds, names))


class Seal:
    """What the seal of a folder says of its files; of one that has none, nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            kept = read_data(folder / SEAL)
            self._at = os.stat(folder / SEAL).st_mtime_ns
        except (OSError, ValueError):
            kept = {}
        parts = kept if isinstance(kept, dict) else {}
        self.signed = is_signed(parts)
        """Whether this user has written it."""
        self.files, seen, self._sizes = (
            part if isinstance(part := parts.get(name), dict) else {} for name in ("files", "seen", "sizes")
        )
        self.known: dict[str, Any] = self.files | seen
        """The digest of each file that it says anything of."""

    def holds(self, name: str, quickly: bool = False, torn: bool = False) -> bool:
        """Whether a file is what it was; with `torn`, a part of one more line may be behind that.

        `quickly` is content with one of the same size that is not newer than the seal.
        """
        path, kept = self._folder / name, self.known.get(name)
        try:
            state = path.lstat()
        except OSError:
            return False
        size, is_file = self._sizes.get(name), stat.S_ISREG(state.st_mode)
        if kept is None or not is_file or (size is not None and state.st_size < size):
            return False
        if size is None or state.st_size == size:
            return (quickly and size is not None and state.st_mtime_ns <= self._at) or _digest(path) == kept
        return torn and _digest_of_start(path, size) == kept


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


def _digest_of_start(path: Path, size: int) -> str | None:
    """The digest of the first bytes of a file; None where a whole line is behind them."""
    found = hashlib.sha256()
    try:
        with open_regular(path) as file:
            for start in range(0, size, _CHUNK):
                found.update(file.read(min(_CHUNK, size - start)))
            return None if b"\n" in file.read(MOST_LINE) else found.hexdigest()
    except (OSError, ValueError):
        return None
