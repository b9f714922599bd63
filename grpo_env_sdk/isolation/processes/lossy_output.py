"""Output that is lost where nobody reads it any more or the disk is full: it ends neither a run nor an episode."""

import io
import select
import sys
from typing import Any, TextIO


class _LossyFile(io.FileIO):
    """A descriptor that takes everything, also what cannot be written."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or len(data)
        except OSError:
            return len(data)


class _UnreadFile(io.FileIO):
    """A descriptor that takes everything once nobody reads it any more; a full disk stays an error."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or len(data)
        except BrokenPipeError:
            return len(data)


def lose_what_nobody_reads(descriptor: int, like: TextIO) -> TextIO:
    """A stream like another one, onto a descriptor whose reader, such as `head`, may leave before the end."""
    file = io.BufferedWriter(_UnreadFile(descriptor, "w", closefd=False))
    at_once = like.isatty() or getattr(like, "write_through", False)  # as with PYTHONUNBUFFERED
    return io.TextIOWrapper(file, like.encoding, like.errors, line_buffering=at_once)


def lose_what_cannot_be_written(*names: str) -> None:
    """Let each stream of `sys` with one of these names take everything."""
    for name in names:
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # else a test's or a notebook's
            stream.flush()
            file = io.BufferedWriter(_LossyFile(stream.fileno(), "w", closefd=False))
            lossy = io.TextIOWrapper(file, stream.encoding, stream.errors, line_buffering=True)
            setattr(sys, name, lossy)


def reader_is_gone(descriptor: int) -> bool:
    """Whether what is written to a pipe or a socket reaches nobody."""
    asked = select.poll()
    asked.register(descriptor, 0)  # of nothing but that its other side is closed
    return any(happened & select.POLLERR for _, happened in asked.poll(0))
