"""How an evaluation shows that it goes on: a live line on a terminal, a plain line now and then in a log."""

import sys
import time
from types import TracebackType
from typing import Any

from grpo_env_sdk.tally import Tally
from grpo_env_sdk.types import Episode

_EVERY = {True: 0.2, False: 10.0}
"""Seconds between two updates, on a terminal and in a log."""


class Progress:
    """Prints on stderr how far an evaluation is; use it as a context manager."""

    def __init__(self, name: str, total: int, done: int = 0) -> None:
        self._name = name
        self._total = total
        self._done_before = done
        self._started = self._shown = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=5, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def seen(self, episode: Episode, tally: Tally) -> None:
        """One more episode ended."""
        now = time.monotonic()
        last = tally.episodes == self._total
        if now - self._shown < _EVERY[self._live is not None] and not last:
            return
        self._shown = now
        text = self._text(tally, now - self._started)
        if self._live:
            from rich.text import Text

            self._live.update(Text(text))
        else:
            print(text, file=sys.stderr, flush=True)

    def _text(self, tally: Tally, seconds: float) -> str:
        here = tally.episodes - self._done_before
        rate = here / seconds if seconds > 0 else 0.0
        left = (self._total - tally.episodes) / rate if rate else 0.0
        told = f"{self._name}: {tally.episodes}/{self._total}, {rate:.1f}/s, reward {tally.reward}"
        failed = ", ".join(f"{count} {cause}" for cause, count in list(tally.errors.items())[:3])
        return told + (f", failed: {failed}" if failed else "") + (f", {_clock(left)} left" if left >= 1 else "")


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
