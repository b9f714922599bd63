"""How an evaluation shows that it goes on: a live table on a terminal, a plain line now and then in a log."""

import sys
import time
from types import TracebackType
from typing import Any

from grpo_env_sdk.tally import Tally
from grpo_env_sdk.types import Episode

_EVERY = {True: 0.2, False: 10.0}
"""Seconds between two updates, on a terminal and in a log."""
_CAUSES = 3


class Progress:
    """Shows on stderr how far an evaluation is; use it as a context manager."""

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
        if now - self._shown < _EVERY[self._live is not None] and tally.episodes < self._total:
            return
        self._shown = now
        facts = self._facts(tally, now - self._started)
        if self._live:
            self._live.update(self._table(facts, tally.episodes))
        else:
            told = ", ".join(f"{name} {value}" for name, value in facts.items())
            print(f"{self._name}: {told}", file=sys.stderr, flush=True)

    def _facts(self, tally: Tally, seconds: float) -> dict[str, str]:
        rate = (tally.episodes - self._done_before) / seconds if seconds > 0 else 0.0
        left = (self._total - tally.episodes) / rate if rate else 0.0
        facts = {"episodes": f"{tally.episodes}/{self._total}", "a second": f"{rate:.1f}", "reward": str(tally.reward)}
        failed = [f"{count} by {cause}" for cause, count in list(tally.errors.items())[:_CAUSES]]
        if failed:
            facts["failed"] = "; ".join(failed)
        return {**facts, "left": _clock(left)} if left >= 1 else facts

    def _table(self, facts: dict[str, str], done: int) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(self._name), title_justify="left", box=None, show_header=False, pad_edge=False)
        table.add_row("", ProgressBar(self._total, done, width=40))
        for name, value in facts.items():
            table.add_row(Text(name, style="dim"), Text(value))
        return table


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
