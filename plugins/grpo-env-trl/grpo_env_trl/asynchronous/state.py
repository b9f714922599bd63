"""What a checkpoint of an asynchronous training keeps: which groups it has trained on."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.asynchronous.worker import RolloutWorker
from grpo_env_trl.bridges.callbacks import EnvironmentState
from grpo_env_trl.bridges.mixture_kwargs import players_by_folder
from grpo_env_trl.tokens.tokenizers import end_ids
from grpo_env_trl.trl_async import trained_groups

FILE = "grpo_env_groups.json"


class AsyncState(EnvironmentState):
    """Keeps the environment's state and the groups that were trained; a resumed training plays the others."""

    def __init__(self, worker: RolloutWorker) -> None:
        super().__init__(players_by_folder(worker.members))
        self._worker = worker

    def on_init_end(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        """Let every token that ends a turn of this model end it."""
        ends = end_ids(model.generation_config.eos_token_id)
        for member in self._worker.members:
            member.renderer.end_turns_with(ends)

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin with the episodes, unless they go on already: what came before had the server for itself."""
        self._worker.begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Let the worker name the step where it ends the training."""
        self._worker.step = state.global_step

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End the episodes that still go on, before what they share is closed."""
        self._worker.stop()
        super().on_train_end(args, state, control, **kwargs)

    def go_on(self, folder: Path, state: Any, dataloader: Any) -> None:
        """Leave out the groups that were trained; they count towards the epochs."""
        trained = trained_groups(dataloader)
        if trained is not None:
            trained |= _read(folder / FILE)
            self._worker.skip = set(trained)

    def keep(self, folder: Path, dataloader: Any) -> None:
        """Write the groups that were trained: all before a number, and some after it."""
        trained = trained_groups(dataloader) or set()
        first = next(number for number in count() if number not in trained)
        later = sorted(number for number in trained if number > first)
        (folder / FILE).write_text(json.dumps({"before": first, "later": later}), encoding="utf-8")


def _read(file: Path) -> set[int]:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {*range(kept["before"]), *map(int, kept["later"])}
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise UsageError(f"{file} cannot be read: {type(exc).__name__}.", "Resume from an earlier checkpoint.") from exc
