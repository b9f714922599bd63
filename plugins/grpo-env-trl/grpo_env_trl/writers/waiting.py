"""Says what a training waits for, where a call to a server takes long."""

import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from grpo_env_sdk import GrpoEnvWarning

FIRST = 15.0
"""Seconds after which somebody who waits is told why."""
AGAIN = 60.0


@contextmanager
def named_while_waiting(what: str, most: float, first: float = FIRST) -> Iterator[None]:
    """While this lasts, warn after some seconds, and every minute, that a server has not answered; `most` ends it."""
    over, began = threading.Event(), time.monotonic()

    def tell() -> None:
        wait = first
        while not over.wait(wait):
            waited, wait = time.monotonic() - began, AGAIN
            warnings.warn(
                f"The training has waited {waited:.0f} s for {what}, and waits for {most:.0f} s at most. Look at the "
                "log of that server; Ctrl-C twice ends the training.",
                GrpoEnvWarning,
                stacklevel=2,
            )

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
