"""One line on stderr that says how far a call is, as a notebook shows it."""

import sys
import time
from collections.abc import Callable
from typing import Self

from grpo_env_sdk.plain_text import printable

EVERY_SECONDS = 0.2


class ProgressLine:
    """A line that is written over; use it as a context manager."""

    def __init__(self, wanted: bool | None) -> None:
        """Show it or not; None shows it in interactive Python."""
        self._file = sys.stderr
        self._wanted = hasattr(sys, "ps1") if wanted is None else wanted
        self._shown = ""
        self._at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if self._shown:
            print(file=self._file)

    def show(self, text: Callable[[], str], last: bool = False) -> None:
        """Show a line in place of the one before, if it is the last or time for it; only then it is asked for."""
        if self._wanted and (last or not self._shown or time.monotonic() - self._at >= EVERY_SECONDS):
            line = printable(text())
            print(f"\r{line:{len(self._shown)}}", end="", file=self._file, flush=True)
            self._shown, self._at = line, time.monotonic()
