"""How a training shows that it goes on: a live table on a terminal, plain lines in a log."""

import sys
import time
from types import TracebackType
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk.types import Episode
from grpo_env_trl.batch import Batch
from grpo_env_trl.training.words import clock, shown_episode, step_facts

_EVERY = {True: 0.0, False: 5.0}
"""Seconds between two updates, on a terminal and in a log."""


class Display:
    """Shows on stderr how far a training is; use it as a context manager."""

    def __init__(self, sample_every: int = 0, quiet: bool = False) -> None:
        self.sample_every = sample_every
        self.quiet = quiet
        self._live: Any = None
        self._shown = 0.0
        self._next_sample = 0
        self._stage = ""

    def __enter__(self) -> "Display":
        if sys.stderr.isatty() and not self.quiet:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def stage(self, what: str) -> None:
        """Say what is being done now."""
        self.progress(what, 0, 0)

    def progress(self, what: str, done: int, of: int) -> None:
        """Say how far a stage is."""
        facts = {what: f"{done}/{of}" if of else "..."}
        self._update(facts, done, of, urgent=what != self._stage or (0 < of <= done))
        self._stage = what

    def seen(self, batch: Batch) -> None:
        """Show one transcript, every so many steps."""
        if self.quiet or not self.sample_every or not batch.training or batch.step < self._next_sample:
            return
        self._next_sample = batch.step + self.sample_every
        self._print(shown_episode(_best(batch.episodes), batch.step + 1))

    def note(self, text: str) -> None:
        """Say something that stays on the screen."""
        if not self.quiet:
            self._print(text)

    def callback(self) -> TrainerCallback:
        """What shows every step of a trainer."""
        return _Steps(self)

    def step(self, logs: dict[str, Any], done: int, of: int, left: float) -> None:
        """Show the numbers of one step."""
        facts = {"step": f"{done}/{of}", **step_facts(logs)}
        if left >= 1:
            facts["left"] = clock(left)
        self._stage = "step"
        self._update(facts, done, of, urgent=done == of)

    def _update(self, facts: dict[str, str], done: int, of: int, urgent: bool) -> None:
        now = time.monotonic()
        if self.quiet or not (urgent or now - self._shown >= _EVERY[self._live is not None]):
            return
        self._shown = now
        if self._live:
            self._live.update(_table(facts, done, of))
        else:
            print(", ".join(f"{name} {value}" for name, value in facts.items()), file=sys.stderr, flush=True)

    def _print(self, text: str) -> None:
        if self._live:
            self._live.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)


class _Steps(TrainerCallback):
    def __init__(self, display: Display) -> None:
        self._display = display
        self._began: tuple[float, int] | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._began = (time.monotonic(), state.global_step)
        self._display.progress("step", state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if self._began is None or not logs or "reward" not in logs:
            return
        at, first = self._began
        trained = max(1, state.global_step - first)
        left = (time.monotonic() - at) / trained * (state.max_steps - state.global_step)
        self._display.step(logs, state.global_step, state.max_steps, left)


def _best(episodes: list[Episode]) -> Episode:
    return max(episodes, key=lambda episode: (episode.reward is not None, episode.reward or 0.0))


def _table(facts: dict[str, str], done: int, of: int) -> Any:
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    if of:
        table.add_row("", ProgressBar(of, done, width=40))
    for name, value in facts.items():
        table.add_row(Text(name, style="dim"), Text(value))
    return table
