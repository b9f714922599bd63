"""Silences other libraries while our own display shows the progress."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Turn off progress bars and future warnings of other libraries."""
    import datasets
    from transformers.utils import logging as of_transformers

    shown = datasets.is_progress_bar_enabled(), of_transformers.is_progress_bar_enabled()
    datasets.disable_progress_bar()
    of_transformers.disable_progress_bar()  # type: ignore[no-untyped-call]  # of transformers
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        if shown[0]:
            datasets.enable_progress_bar()
        if shown[1]:
            of_transformers.enable_progress_bar()  # type: ignore[no-untyped-call]  # of transformers
