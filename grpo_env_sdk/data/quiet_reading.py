"""Reading a file with `datasets` without its progress bars and its log, as what is wrong with it is our error."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_reading() -> Iterator[None]:
    """While this lasts, `datasets` prints nothing; a user who set its variable for progress bars keeps them."""
    from datasets import are_progress_bars_disabled, config, disable_progress_bars, enable_progress_bars
    from datasets.utils.logging import get_verbosity, set_verbosity

    level = get_verbosity()
    shows_bars = config.HF_DATASETS_DISABLE_PROGRESS_BARS is None and not are_progress_bars_disabled()
    set_verbosity(logging.CRITICAL)
    if shows_bars:
        disable_progress_bars()
    try:
        yield
    finally:
        set_verbosity(level)
        if shows_bars:
            enable_progress_bars()
