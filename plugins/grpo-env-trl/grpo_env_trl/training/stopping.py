"""Ctrl-C in a training: the step is finished and a checkpoint saved; a second one stops at once."""

import signal
import sys
import threading
from types import FrameType
from typing import Any

from transformers import TrainerCallback

from grpo_env_trl import ranks


class StopOnInterrupt(TrainerCallback):
    """While it is entered, the first Ctrl-C asks the trainer to save and stop."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> "StopOnInterrupt":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Between two steps everything is whole: save here, and stop."""
        self.asked = ranks.on_any(self.asked)
        if self.asked:
            control.should_save = control.should_training_stop = True

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if ranks.is_first():
            told = "Finishing this step and saving a checkpoint; Ctrl-C again stops at once."
            print(told, file=sys.stderr, flush=True)
