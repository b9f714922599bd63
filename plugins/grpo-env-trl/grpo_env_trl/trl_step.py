"""A training step of TRL's trainer, taken part by part so that each can be timed; see `trl_facts.py`."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any


class StepParts:
    """The parts of a step, as `trainer.train()` runs them; the learning rate should be 0."""

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        _begin_training(trainer)
        self._model = trainer.model_wrapped
        trainer.current_gradient_accumulation_steps = trainer.args.gradient_accumulation_steps
        self._model.train()

    def play(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The batch of these rows: turns sampled, episodes scored, everything that the gradient needs."""
        return self._trainer._generate_and_score_completions(list(rows))  # type: ignore[no-any-return]  # of TRL

    def take_gradient(self, batch: dict[str, Any], size: int) -> None:
        """The forward and the backward pass of the first `size` episodes of a batch."""
        from trl.trainer.utils import split_pixel_values_by_grid, split_tensor_dict, unsplit_pixel_values_by_grid

        chunks = max(1, len(batch["completion_ids"]) // size)
        part = unsplit_pixel_values_by_grid(split_tensor_dict(split_pixel_values_by_grid(batch), chunks)[0])
        trainer = self._trainer
        with trainer.compute_loss_context_manager():
            loss = trainer.compute_loss(self._model, part)
        trainer.accelerator.backward(loss)

    def step_optimizer(self) -> None:
        """The step of the optimizer, with what it keeps for every trained weight."""
        import torch

        trainer = self._trainer
        if trainer.args.max_grad_norm:
            torch.nn.utils.clip_grad_norm_(self._model.parameters(), trainer.args.max_grad_norm)
        trainer.optimizer.step()
        trainer.optimizer.zero_grad()


class _ReadyError(Exception):
    """Everything is as it is before the first step."""


def _begin_training(trainer: Any) -> None:
    """Prepare model and optimizer as `trainer.train()` does, for example with gradient checkpointing."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from transformers import TrainerCallback

    class StopAtFirstStep(TrainerCallback):
        def on_train_begin(self, *args: Any, **kwargs: Any) -> None:
            raise _ReadyError

    handler = trainer.callback_handler
    others, handler.callbacks = handler.callbacks, [StopAtFirstStep()]  # the others would await the end
    rows = DataLoader(TensorDataset(torch.zeros(1)))
    trainer.get_train_dataloader = lambda: rows  # its own needs a whole group in each process
    try:
        with suppress(_ReadyError):
            trainer.train()
    finally:
        handler.callbacks = others
        del trainer.get_train_dataloader


def lengths_of(batch: dict[str, Any]) -> list[tuple[int, int]]:
    """The tokens of each prompt and each completion of a batch, observations among them."""
    prompts, completions = (batch[f"{name}_mask"].sum(dim=1).tolist() for name in ("prompt", "completion"))
    return list(zip(map(int, prompts), map(int, completions), strict=True))
