"""What code in a sandbox prints, on the stderr of the command: as text, which steers no terminal."""

import os
import threading
from contextlib import suppress
from typing import IO

from grpo_env_sdk.plain_text import printable

_LONGEST = 1 << 16


def shown_as_text(printed: IO[bytes]) -> threading.Thread:
    """A thread that copies until the end: colours stay, and all else that a terminal or a CI log obeys is visible."""
    thread = threading.Thread(target=_copy, args=(printed,), name="grpo-env printed text", daemon=True)
    thread.start()
    return thread


def _copy(printed: IO[bytes]) -> None:
    with printed:
        for line in iter(lambda: printed.readline(_LONGEST), b""):
            shown = printable(line.decode("utf-8", "replace"), colours=True).encode("utf-8", "backslashreplace")
            with suppress(OSError):  # whoever prints goes on, whether or not it can be shown
                os.write(2, shown)
