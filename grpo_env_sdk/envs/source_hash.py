"""Whether the code of an environment has changed: a hash of its source files."""

import hashlib
import inspect
import os
import sys
from functools import lru_cache
from pathlib import Path


def source_hash(cls: type) -> str | None:
    """A hash of the source files of the class's package, or of its module if it has no package."""
    module = sys.modules.get(cls.__module__.split(".")[0])
    try:
        path = Path(getattr(module, "__file__", None) or inspect.getfile(cls))
    except (TypeError, OSError):  # typed in, not in a file
        return None
    if not path.is_file():  # a script from stdin
        return None
    files = _modules_under(path.parent) if path.name == "__init__.py" else [str(path)]
    states = [(file, os.stat(file)) for file in files]
    return _hash_of(path.parent, tuple((file, stat.st_mtime_ns, stat.st_size) for file, stat in states))


def _modules_under(folder: Path) -> list[str]:
    """The files of a package, sorted by folder; every load asks, and `Path.rglob` takes four times as long."""
    found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names if name.endswith(".py")]
    return sorted(found, key=lambda file: file.split(os.sep))


@lru_cache(maxsize=64)
def _hash_of(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    """The hash of files as they are; when each was written is there so that a change is noticed."""
    digest = hashlib.blake2b(digest_size=16)
    for name, _, _ in files:
        digest.update(os.path.relpath(name, folder).encode() + b"\0" + Path(name).read_bytes())
    return digest.hexdigest()
