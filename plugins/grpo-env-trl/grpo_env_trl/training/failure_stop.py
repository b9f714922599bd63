"""A training in which nothing is scored any more is stopped: it would go on for hours and learn nothing."""

from collections import Counter
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk.checking.evidence.failures import failure_of
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch

PATIENCE = 3
"""So many batches in a row without one score, and it is over."""


class StopWhereAllFail(TrainerCallback):
    """Asks the trainer to save and stop where every episode fails, and knows the commonest cause.

    Where none ever worked, the `Stage` raises sooner: there is nothing to save.
    """

    def __init__(self) -> None:
        self._causes: Counter[str] = Counter()
        self._batches = 0
        self.cause: str | None = None
        """Why it has to stop; None while it may go on."""

    def seen(self, batch: Batch) -> None:
        """A batch of episodes ended."""
        if not batch.training:
            return
        if not batch.all_failed:
            self._batches = 0
            self._causes.clear()
            return
        self._batches += 1
        for episode in batch.episodes:
            failure = failure_of(episode)
            self._causes[failure.message if failure else "Every reward abstained."] += 1

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Between two steps everything is whole: save here, and stop."""
        if ranks.on_all(self._batches >= PATIENCE):
            self.cause = self._causes.most_common(1)[0][0]
            control.should_save = control.should_training_stop = True
