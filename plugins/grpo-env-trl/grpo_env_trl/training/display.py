"""The live display of a training: the metrics of each step, and a sample transcript now and then."""

import sys
import time
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import Screen, clock, facts_line, facts_table, say
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.report.formatting import best_episode_text, step_facts


class Display(Screen):
    """Shows the progress of a training on stderr; use it as a context manager."""

    def __init__(self, sample_every: int = 0, quiet: bool = False, silent: bool = False) -> None:
        """With `quiet` there are notes alone; with `silent` nothing, as in all processes but the first."""
        super().__init__(on_terminal=0.0, in_log=5.0, quiet=quiet or silent)
        self._silent = silent
        self.sample_every = sample_every
        self._next_sample = 0
        self._stage = ""

    def stage(self, what: str) -> None:
        """Show the name of a stage."""
        self.progress(what, 0, 0)

    def progress(self, what: str, done: int, of: int) -> None:
        """Show the progress of a stage."""
        facts = {what: f"{done}/{of}" if of else "..."}
        self._update(facts, done, of, urgent=what != self._stage or (0 < of <= done))
        self._stage = what

    def note(self, text: str) -> None:
        """Print a line that stays on the screen."""
        if self.quiet and not self._silent:
            say(text, file=sys.stderr, flush=True)
        else:
            super().note(text)

    def seen(self, batch: Batch) -> None:
        """Show one transcript, every so many steps."""
        if self.quiet or not self.sample_every or not batch.training or batch.step < self._next_sample:
            return
        self._next_sample = batch.step + self.sample_every
        self.note(best_episode_text(_best(batch.episodes), batch.step + 1))

    def callback(self) -> TrainerCallback:
        """A trainer callback that shows every step."""
        return _Steps(self)

    def step(self, logs: dict[str, Any], done: int, of: int, left: float) -> None:
        """Show the metrics of one step."""
        facts = {"step": f"{done}/{of}", **step_facts(logs)}
        if left >= 1:
            facts["left"] = clock(left)
        self._stage = "step"
        self._update(facts, done, of, urgent=done == of)

    def _update(self, facts: dict[str, str], done: int, of: int, urgent: bool) -> None:
        if self.due(urgent):
            self.show(facts_line(facts), lambda: facts_table(facts, done, of))


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
