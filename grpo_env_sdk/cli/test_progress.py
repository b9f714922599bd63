"""How a test shows that it goes on: one changing line on a terminal, a plain line now and then in a log."""

import sys
import time
from typing import Any

_EVERY = 10.0
"""Seconds between two lines in a log."""


class Progress:
    """Shows on stderr which check runs; use it as a context manager."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._running = ""
        self._done = 0
        self._shown = time.monotonic()
        self._status: Any = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status(self._name)
            self._status.start()
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if self._status:
            self._status.stop()

    def seen(self, event: dict[str, Any]) -> None:
        """One more event of the checks."""
        self._done += event["event"] == "ended"
        match event["event"]:
            case "started":
                self._running = where = event["check"]
            case "at" if self._running:
                where = f"{self._running}, {event['stage']}"
            case _:
                return
        told = f"{self._name}: {min(self._done, self._total)}/{self._total} checks, now {where}"
        if self._status:
            self._status.update(told)
        elif time.monotonic() - self._shown >= _EVERY:
            self._shown = time.monotonic()
            print(told, file=sys.stderr, flush=True)
