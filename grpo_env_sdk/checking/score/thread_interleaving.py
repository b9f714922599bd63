"""A call interrupted at one line of the author's code by another call, as a thread switch does it."""

import inspect
import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from grpo_env_sdk.checking.evidence.playing.failures import OutOfTimeError

LOCKED_SECONDS = 0.2
"""How long the first call waits for the other, which may wait for a lock that the first holds."""


class Interruption:
    """Counts the lines of an environment's code that new threads run, and makes another call at one of them."""

    def __init__(self, cls: type, at: int = 0, other: Callable[[], Any] | None = None) -> None:
        self.lines = 0
        self.place = ""
        self.outcome: Any = None
        self._code = code_of(cls) or ""
        self._at = at
        self._other = other
        self._busy = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(self) -> Iterator["Interruption"]:
        """Count the lines of every thread that starts meanwhile."""
        before = threading.gettrace() if hasattr(threading, "gettrace") else None
        threading.settrace(self._trace)
        try:
            yield self
        finally:
            threading.settrace(before)
            if self._thread is not None:
                self._thread.join()

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if self._busy or not frame.f_code.co_filename.startswith(self._code):
            return self._trace if event == "call" and not self._busy else None
        if event == "line":
            self.lines += 1
            if self.lines == self._at and self._other is not None:
                self.place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
                self._interrupt(self._other)
        return self._trace

    def _interrupt(self, other: Callable[[], Any]) -> None:
        def run() -> None:
            with suppress(OutOfTimeError):
                self.outcome = other()

        self._busy = True
        threading.settrace(None)
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        self._thread.join(LOCKED_SECONDS)
        sys.settrace(None)


def code_of(cls: type) -> str | None:
    """How the names of the files with a class's code begin: its folder, or a cell without one; None without source."""
    methods = [inspect.unwrap(value) for value in vars(cls).values() if inspect.isfunction(value)]
    try:
        file = inspect.getfile(methods[0] if cls.__module__ == "__main__" else cls)  # a notebook has no file
    except (IndexError, TypeError, OSError):
        return None
    if not file.startswith("<"):
        return os.path.dirname(os.path.abspath(file)) + os.sep
    return file if linecache.getlines(file) else None
