"""Whether the code of an environment has changed: a hash of its source files."""

import hashlib
import inspect
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from grpo_env_sdk.envs.cell_source import cell_source

FileState = tuple[str, int, int]
"""A file, when it was written, and how long it is."""


def source_hash(cls: type) -> str | None:
    """A hash of the source files of the class's package, of its module, or of its cell of a notebook."""
    module = sys.modules.get(cls.__module__.split(".")[0])
    try:
        path = Path(getattr(module, "__file__", None) or inspect.getfile(cls))
    except (TypeError, OSError):  # typed in, not in a file
        text = cell_source(cls)
        return _digest(text.encode()) if text else None
    if not path.is_file():  # a script from stdin
        return None
    if path.name != "__init__.py":
        stat = path.stat()
        return _hash_of(path.parent, ((str(path), stat.st_mtime_ns, stat.st_size),))
    return _hash_of(path.parent, tuple(_modules_under(str(path.parent))))


def _modules_under(folder: str) -> Iterator[FileState]:
    """The files of a package, sorted by folder, each as it is; every load asks, so that it has to be quick."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # nobody may read it, so nothing is imported from it
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _modules_under(entry.path)
        elif entry.name.endswith(".py") and entry.is_file():
            stat = entry.stat()
            yield entry.path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=64)
def _hash_of(folder: Path, files: tuple[FileState, ...]) -> str:
    """The hash of files as they are; when each was written is there so that a change is noticed."""
    return _digest(*(os.path.relpath(name, folder).encode() + b"\0" + Path(name).read_bytes() for name, _, _ in files))


def _digest(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
