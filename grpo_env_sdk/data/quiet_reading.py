"""Reading and building with `datasets` without its progress bars and its log, as what is wrong is our error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_reading() -> Iterator[None]:
    """While this lasts, `datasets` prints nothing; a user who set its variable for progress bars keeps them."""
    from datasets.utils.logging import get_verbosity, set_verbosity

    level = get_verbosity()
    set_verbosity(logging.CRITICAL)
    try:
        with without_bars():
            yield
    finally:
        set_verbosity(level)


@contextmanager
def without_bars() -> Iterator[None]:
    """While this lasts, `datasets` shows no progress bars, where it is imported already."""
    datasets = sys.modules.get("datasets")
    hides = getattr(datasets, "are_progress_bars_disabled", None)  # not yet there while it is being imported
    if datasets is None or hides is None or hides() or datasets.config.HF_DATASETS_DISABLE_PROGRESS_BARS is not None:
        yield
        return
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.enable_progress_bars()
