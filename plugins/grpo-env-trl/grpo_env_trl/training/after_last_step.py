"""The end of a training: what is done with the model after its last step, while the trainer still works."""

from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback

from grpo_env_trl import ranks
from grpo_env_trl.trl_async import epochs_are_over


class NothingLeftError(Exception):
    """A resumed training has no step left."""


class AfterLastStep(TrainerCallback):
    """Calls `finish` after the last step; a resumed training that has none left begins with that. Add it last.

    The processes are still together then, and the server of an asynchronous training takes weights.
    """

    def __init__(self, trainer: Any, finish: Callable[[], None]) -> None:
        self._trainer = trainer
        self._finish = finish

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Train no step where a training was stopped after its last one: TRL would train one more."""
        if state.global_step >= state.max_steps or ranks.from_first(lambda: epochs_are_over(self._trainer)):
            self._trainer.callback_handler.on_train_end(args, state, control)
            raise NothingLeftError

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Save and evaluate the model."""
        self._finish()
