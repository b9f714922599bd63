"""What the bridges need from a trainer: its model, and the moments of saving and resuming."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk.ext import seal
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.native import NativeBridge
from grpo_env_trl.bridges.state import read_state, save_state, warn_of_lost_state
from grpo_env_trl.runs.checkpoint_files import files_that_run_code
from grpo_env_trl.runs.whole_checkpoints import drop_older, mark_unfinished, mark_whole


class EnvironmentState(TrainerCallback):
    """Keeps the environment's state with every checkpoint, and restores it on resume."""

    def __init__(self, players: Mapping[str, BatchPlayer], native: NativeBridge | None = None) -> None:
        """`players` are those of all environments of a training, by the folder of their state in a checkpoint."""
        self.native = native
        self.players = players
        self._kept: int | None = None
        """How many checkpoints are kept: the trainer would drop older ones before the newest is marked as whole."""

    def on_init_end(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        """Give the model to scorers, for evaluations too."""
        if self.native is not None:
            self.native.hold(model, kwargs["processing_class"])

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Name what cannot be kept; after a resume, restore what was, and continue with the rows that come next."""
        if args.save_total_limit:
            self._kept, args.save_total_limit = args.save_total_limit, None
        if args.save_strategy != "no" and state.is_world_process_zero:
            for player in self.players.values():
                warn_of_lost_state(player.loaded, player.state())
        if state.global_step:
            resumed = args.resume_from_checkpoint
            folder = Path(resumed) if isinstance(resumed, str) else _checkpoint(args, state)
            for within, player in self.players.items():
                player.restore(read_state(player.loaded, folder / within))
            self.go_on(folder, state, kwargs["train_dataloader"])

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Give the trainer its own setting back, and close what episodes share."""
        args.save_total_limit = self._kept
        for player in self.players.values():
            player.end()

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the environment's state beside the model, and sign the files that would run code when loaded."""
        folder = _checkpoint(args, state)
        ranks.wait_for_all()  # with DeepSpeed and FSDP each process writes a part
        if state.is_world_process_zero and folder.is_dir():
            mark_unfinished(folder)
            for within, player in self.players.items():
                (folder / within).mkdir(parents=True, exist_ok=True)
                save_state(player.loaded, player.state(), folder / within)
            self.keep(folder, kwargs["train_dataloader"])
            if pickled := files_that_run_code(folder):
                seal(folder, pickled)
            mark_whole(folder, ranks.started_together())
            drop_older(folder, self._kept, state.best_model_checkpoint)

    def go_on(self, folder: Path, state: Any, dataloader: Any) -> None:
        """Continue with the rows that come next."""
        trl_facts.skip_epochs(dataloader, int(state.epoch + 1e-6))

    def keep(self, folder: Path, dataloader: Any) -> None:
        """Write what else a checkpoint needs, before it is marked as whole."""


def _checkpoint(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}"
