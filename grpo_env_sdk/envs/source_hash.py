"""Whether the code of an environment has changed: a hash of its source files."""

import hashlib
import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from grpo_env_sdk.envs.cell_source import cell_source
from grpo_env_sdk.errors import GrpoEnvWarning

FileState = tuple[str, int, int]
"""A file, when it was written, and how long it is."""
_seen: dict[str, tuple[Any, FileState]] = {}
"""Files of modules as they were loaded, each with the spec of the module, or the module of a script, which has none."""


def source_hash(cls: type) -> str | None:
    """A hash of the source files of the class's package, of its module, or of its cell of a notebook.

    A file counts as it was when its module was first seen here: that is what runs until the module is loaded again.
    """
    package = cls.__module__.split(".")[0]
    module = sys.modules.get(package)
    try:
        path = Path(getattr(module, "__file__", None) or inspect.getfile(cls))
    except (TypeError, OSError):  # typed in, not in a file
        return definition_hash(cls)
    if not path.is_file():  # a script from stdin
        return None
    files = _modules_under(str(path.parent)) if path.name == "__init__.py" else [_state_of(path)]
    return _hash_of(path.parent, tuple(_as_loaded(package, files)))


def definition_hash(value: Any, data: bool = True) -> str | None:
    """A hash of the source of a function or of an object's class, and what it uses from its module; None if unknown."""
    text = cell_source(value, data)
    return _digest(text.encode()) if text else None


def note_source(cls: type) -> None:
    """Keep what is in the file of a class that is being defined, which may be edited before it is used."""
    module = sys.modules.get(cls.__module__)
    with suppress(OSError):
        if (file := getattr(module, "__file__", None)) and os.path.isfile(file):  # a script may come from a pipe
            _content(_when_loaded(module, _state_of(Path(file))))


def _as_loaded(package: str, files: Iterable[FileState]) -> Iterator[FileState]:
    """The files as their modules were loaded, with a warning for those that were changed since."""
    below = [module for name, module in [*sys.modules.items()] if f"{name}.".startswith(f"{package}.")]
    loaded = {getattr(module, "__file__", None): module for module in below}
    for now in files:
        module = loaded.get(now[0])
        then = _when_loaded(module, now) if module else now
        if then != now and _content(then) != _content(now):
            warnings.warn(
                f"{now[0]} was changed after it was imported, and what runs is the old code. Restart Python, or run "
                f"importlib.reload({loaded[now[0]].__name__}) and import its names again; in a notebook, "
                "%load_ext autoreload and %autoreload 2 do that.",
                GrpoEnvWarning, stacklevel=2,
            )  # fmt: skip
        yield then


def _when_loaded(module: Any, now: FileState) -> FileState:
    """How the file of a module was when the module, as it is loaded now, was seen first."""
    spec = getattr(module, "__spec__", None) or module  # a module that is loaded again has another one
    before, then = _seen.get(now[0], (spec, now))
    _seen[now[0]] = kept = (spec, then if before is spec else now)
    return kept[1]


def _state_of(file: Path | os.DirEntry[str]) -> FileState:
    stat = file.stat()
    return os.fspath(file), stat.st_mtime_ns, stat.st_size


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
            yield _state_of(entry)


@lru_cache(maxsize=64)
def _hash_of(folder: Path, files: tuple[FileState, ...]) -> str:
    """The hash of files as they are; when each was written is there so that a change is noticed."""
    return _digest(*(os.path.relpath(file[0], folder).encode() + b"\0" + _content(file) for file in files))


@cache
def _content(file: FileState) -> bytes:
    """What is in a file; of one that was changed since, what was in it."""
    return Path(file[0]).read_bytes()


def _digest(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
