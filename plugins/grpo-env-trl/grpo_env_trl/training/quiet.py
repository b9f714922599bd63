"""Silences other libraries while our own display shows the progress."""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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


@contextmanager
def tied_weights_need_no_file(model: Any) -> Iterator[None]:
    """Silence transformers' warning that a checkpoint lacks weights which the model shares with another layer."""
    tied = {*(getattr(model, "all_tied_weights_keys", None) or ())}

    def is_news(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        missing = {*re.findall(r"'([^']+)'", text)} if text.startswith("There were missing keys") else {text}
        return not missing <= tied

    logger = logging.getLogger("transformers.trainer")
    logger.addFilter(is_news)
    try:
        yield
    finally:
        logger.removeFilter(is_news)
