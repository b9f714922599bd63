"""Reasons to stop a training early: Ctrl-C, SIGTERM, SIGHUP, batches of failures. All save a checkpoint."""

import io
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk.ext import ending_signals, failure_of, note_hangup
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.launching.attached import is_a_copy
from grpo_env_trl.rank_signs import listed


class StopOnInterrupt(TrainerCallback):
    """A context manager and trainer callback: the first Ctrl-C, SIGTERM or SIGHUP lets the trainer save and stop."""

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        """`then` is called once somebody asks."""
        self._then = then
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopOnInterrupt":
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._interrupt) for number in ending_signals()}
        return self

    def __exit__(self, *exc: object) -> None:
        while self._before:
            signal.signal(*self._before.popitem())

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Save a checkpoint and stop; between two steps all state is consistent."""
        self.asked = ranks.on_any(self.asked)
        if self.asked:
            control.should_save = control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """No step is left to finish: from now on Ctrl-C stops at once."""
        self.__exit__()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        note_hangup(number)
        if self.asked:
            if number != signal.SIGINT or is_a_copy():  # a system that ends a job sends it to each of its processes
                return
            raise KeyboardInterrupt
        self.asked = True
        self._then()
        if ranks.is_first():
            _say_in_handler("Finishing this step and saving a checkpoint; press Ctrl-C again to stop at once.")


def _say_in_handler(text: str) -> None:
    """Print a line on stderr, also where the signal came while one was being printed: a stream is not entered twice."""
    descriptor = -1
    with suppress(OSError, ValueError):  # that of a test or a notebook has none
        descriptor = sys.stderr.fileno() if isinstance(sys.stderr, io.TextIOWrapper) else -1
    if descriptor < 0:
        print(text, file=sys.stderr, flush=True)
        return
    with suppress(OSError):
        os.write(descriptor, f"{text}\n".encode())


PATIENCE = 3
"""A training stops after this many batches in a row without one reward."""
ALONE = 64
"""Where other processes have rewards, one stops all once so many of its episodes failed in a row: that is no chance."""


class StopWhereAllFail(TrainerCallback):
    """Lets the trainer save and stop where every episode fails, and keeps the most frequent cause.

    Where no episode ever worked, the rollout raises sooner: there is nothing to save.
    """

    def __init__(self) -> None:
        self._causes: Counter[str] = Counter()
        self._batches = 0
        self._failed = 0
        self._all_causes: Counter[str] = Counter()
        self._episodes = 0
        self.cause: str | None = None
        """What failed, and most often with what, where the training stops for that; or None."""

    def seen(self, batch: Batch) -> None:
        """A batch of episodes ended."""
        if not batch.training:
            return
        self._episodes += len(batch.episodes)
        self._all_causes.update(failure.message for failure in map(failure_of, batch.episodes) if failure)
        if not batch.all_failed:
            self._batches = self._failed = 0
            self._causes.clear()
            return
        self._batches += 1
        self._failed += len(batch.episodes)
        for episode in batch.episodes:
            failure = failure_of(episode)
            self._causes[failure.message if failure else "Every reward abstained."] += 1

    def told(self) -> str:
        """How many episodes of all processes failed in training, and why most of them, in a sentence; or nothing.

        Every process must call this.
        """
        of_each = ranks.of_all((self._all_causes, self._episodes))
        causes: Counter[str] = sum((found for found, _ in of_each), Counter())
        if not causes:
            return ""
        cause, _ = causes.most_common(1)[0]
        failed = [number for number, (found, _) in enumerate(of_each) if found]
        where = f", all in {listed(failed, len(of_each)).lower()}" if len(failed) < len(of_each) else ""
        episodes = sum(count for _, count in of_each)
        return f"{causes.total()} of {episodes} episodes failed{where}, most often with: {cause}"

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Save a checkpoint and stop; between two steps all state is consistent."""
        here = self._batches >= PATIENCE
        if ranks.on_all(here) or ranks.on_any(here and self._failed >= ALONE):
            mine = f"{self._batches} batches", self._causes.most_common(1)[0][0] if here else ""
            of_each = ranks.of_all(mine)
            number, (batches, cause) = next((place, each) for place, each in enumerate(of_each) if each[1])
            whose = "" if all(each[1] for each in of_each) else f" of process {number} of {len(of_each)}"
            self.cause = f"all episodes of {batches}{whose} failed, most often with: {cause}"
            control.should_save = control.should_training_stop = True
