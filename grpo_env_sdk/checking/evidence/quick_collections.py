"""Garbage collections that need not look at all that the process holds."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_collections() -> Iterator[None]:
    """Exclude existing objects from garbage collections, which makes each of them faster."""
    frozen = gc.get_freeze_count()
    gc.freeze()  # with what nobody refers to any more: it stays as it is, and finding it takes long
    try:
        yield
    finally:
        if not frozen:  # else the caller wants its objects to stay so
            gc.unfreeze()
