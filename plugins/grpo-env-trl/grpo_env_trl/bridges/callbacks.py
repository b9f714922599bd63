"""What the bridges need from a trainer: its model, and the moments of saving and resuming."""

from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk.ext import LoadedEnv
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.native import NativeBridge
from grpo_env_trl.bridges.state import restore_state, save_state


class EnvironmentState(TrainerCallback):
    """Keeps the environment's state with every checkpoint, and restores it on resume."""

    def __init__(self, loaded: LoadedEnv, native: NativeBridge | None = None) -> None:
        self.loaded = loaded
        self.native = native

    def on_init_end(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        """Give the model to scorers, for evaluations too."""
        if self.native is not None:
            self.native.hold(model, kwargs["processing_class"])

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """After a resume, restore the saved state, and continue with the rows that come next."""
        if state.global_step:
            resumed = args.resume_from_checkpoint
            folder = Path(resumed) if isinstance(resumed, str) else _checkpoint(args, state)
            restore_state(self.loaded, folder)
            trl_facts.skip_epochs(kwargs["train_dataloader"], int(state.epoch + 1e-6))

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the environment's state beside the model."""
        folder = _checkpoint(args, state)
        if state.is_world_process_zero and folder.is_dir():
            save_state(self.loaded, folder)


def _checkpoint(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}"
