"""A disk that is full."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """As on a full disk: while this lasts, this process writes no file beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
