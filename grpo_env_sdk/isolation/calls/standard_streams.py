"""The standard streams of a command: environment code may close them, or put others in their place."""

import fcntl
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

from grpo_env_sdk.isolation.processes.own_stdout import lead_nowhere

_NAMES = ("stdin", "stdout", "stderr")
_HIGH = 1000
"""Where the copies of the descriptors are: code that closes what it did not open closes the low numbers."""


class StandardStreams:
    """What `sys` has as streams, and descriptors 0 to 2, to be set back to what they were."""

    def __init__(self) -> None:
        self._copies = [_copy(number) for number in range(len(_NAMES))]
        self._files = [_file_of(number) for number in self._copies]
        self._first, self._found = _streams(), _streams()
        self._encodings = {name: getattr(stream, "encoding", None) for name, stream in self._first.items()}

    def note(self) -> None:
        """What is there now is right: code of our own, such as a display, may have put it there."""
        self._found = {name: found for name, found in _streams().items() if not _is_closed(found)}
        self._files = [_file_of(number) or before for number, before in enumerate(self._files)]

    def set_back(self, replaced: bool) -> list[str]:
        """Set back what was closed and, where asked to, what was replaced; the names of what was."""
        changed = [f"descriptor {number}" for number in range(len(_NAMES)) if self._reopens(number, replaced)]
        for number, name in enumerate(_NAMES):
            stream, before = getattr(sys, name, None), self._found.get(name)
            if _is_closed(stream) or (replaced and stream is not before):
                self._found[name] = _opened(number, self._encodings[name]) if _is_closed(before) else before
                setattr(sys, name, self._found[name])
                changed.append(f"sys.{name}")
        return changed

    def set_back_to_first(self) -> None:
        """The streams that the command began with, as it is over; Python writes what they still hold."""
        self._found = {**self._first}
        self.set_back(replaced=True)

    def own(self, stream: TextIO | None) -> TextIO | None:
        """Where the command prints what is meant for a stream of `sys`, whatever that is at this moment."""
        for name in ("stderr", "stdout"):
            if stream is getattr(sys, name, None):
                return self._found.get(name) or stream
        return self._found.get("stdout") if stream is None else stream

    def _reopens(self, number: int, replaced: bool) -> bool:
        """Whether a descriptor is another file, or closed, and is now the one that it was."""
        found, copy, before = _file_of(number), self._copies[number], self._files[number]
        if found == before or (found is not None and not replaced):
            return False
        if number in lead_nowhere or _file_of(copy) != before:
            return False
        with suppress(OSError):
            os.dup2(copy, number)
            return True
        return False


def _streams() -> dict[str, Any]:
    return {name: getattr(sys, name, None) for name in _NAMES}


def _is_closed(stream: Any) -> bool:
    try:
        return stream is None or bool(getattr(stream, "closed", False))
    except Exception:  # of a class of environment code
        return False


def _copy(number: int) -> int:
    """Another descriptor of the same file, which no other program inherits; -1 where there is none."""
    with suppress(OSError):  # fewer descriptors are allowed
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    with suppress(OSError):  # it is closed
        return os.dup(number)
    return -1


def _file_of(number: int) -> tuple[int, ...] | None:
    """Which file a descriptor is of; None where it is closed."""
    try:
        found = os.fstat(number)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_rdev


def _opened(number: int, encoding: str | None) -> Any:
    mode = "w" if number else "r"
    try:
        return open(number, mode, encoding=encoding, errors="backslashreplace", buffering=1, closefd=False)
    except OSError:  # the descriptor was closed too
        return open(os.devnull, mode, encoding="utf-8")
