"""A file that appears once it is whole."""

import os
from collections.abc import Iterable
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write a file that is on disk before it takes the place of the old one: nobody ever reads a part of it."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def write_whole_file(path: Path, pieces: Iterable[str]) -> int:
    """Write a text and return its size in bytes; where that fails, what was at the path before is still there."""
    target = path.resolve()
    beside = target.with_name(f".{target.name}.new")
    if path.exists() and not path.is_file():  # a pipe
        target = beside = path
    try:
        with beside.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(pieces)
        beside.replace(target)
    except BaseException:
        if beside is not path:
            beside.unlink(missing_ok=True)
        raise
    return path.stat().st_size
