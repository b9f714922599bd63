"""Progress of a command on stderr: a live display on a terminal, a line now and then in a log."""

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

from grpo_env_sdk.cli.output import say
from grpo_env_sdk.isolation.calls.command_process import note_streams
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.plain_text import printable


class Screen:
    """A progress display on stderr; use it as a context manager."""

    def __init__(self, on_terminal: float, in_log: float, quiet: bool = False) -> None:
        """Set the seconds between two updates, on a terminal and in a log."""
        self.quiet = quiet
        self._every = {True: on_terminal, False: in_log}
        self._shown = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self.quiet:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=8, transient=True)
            self._live.start()
            note_streams()
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if self._live:
            self._live.stop()
            note_streams()

    def due(self, urgent: bool = False) -> bool:
        """Whether it is time for the next update."""
        now = time.monotonic()
        if self.quiet or not (urgent or now - self._shown >= self._every[self._live is not None]):
            return False
        self._shown = now
        return True

    def show(self, line: str, drawn: Callable[[], Any]) -> None:
        """Show what `drawn` returns on a terminal, or print `line` in a log."""
        if self._live:
            self._live.update(drawn())
        else:
            say(line, file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Print a line that stays on the screen."""
        if self.quiet:
            return
        if self._live:
            self._live.console.print(printable(redacted(text)), markup=False, highlight=False)
        else:
            say(text, file=sys.stderr, flush=True)


def facts_line(facts: Mapping[str, str]) -> str:
    """Facts as one line: `episodes 3/20, reward 0.500`."""
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def facts_table(facts: Mapping[str, str], done: int, of: int, title: str | None = None) -> Any:
    """Facts as a table, below a progress bar."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    heading = None if title is None else Text(title)
    table = Table(title=heading, title_justify="left", box=None, show_header=False, pad_edge=False)
    if of:
        table.add_row("", ProgressBar(of, done, width=40))
    for name, value in facts.items():
        table.add_row(Text(printable(name), style="dim"), Text(printable(redacted(value))))
    return table


def clock(seconds: float) -> str:
    """`1:02:03`, or `2:03`."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
