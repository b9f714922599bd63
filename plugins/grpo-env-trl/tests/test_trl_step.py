"""The parts of a training step that a plan times are those of a training."""

import pytest
import torch
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from grpo_env_trl import trainer_kwargs
from grpo_env_trl.trl_step import StepParts, lengths_of


class Heard(TrainerCallback):
    began = False

    def on_train_begin(self, *args, **kwargs):
        self.began = True


@pytest.fixture
def trainer(tiny, tmp_path):
    """A trainer that checkpoints gradients, on a tiny model."""
    model, tokenizer = tiny("qwen3")
    args = GRPOConfig(
        str(tmp_path / "out"), use_cpu=True, bf16=False, per_device_train_batch_size=4, num_generations=2, max_steps=3,
        max_completion_length=8, learning_rate=0.0, save_total_limit=2, report_to="none", disable_tqdm=True,
    )  # fmt: skip
    return GRPOTrainer(model=model, **trainer_kwargs("environments:Errands", tokenizer, args=args, eval_rows=0))


def test_a_model_is_prepared_as_for_a_training(trainer, tmp_path):
    heard = Heard()
    trainer.add_callback(heard)
    assert not trainer.model.is_gradient_checkpointing
    StepParts(trainer)
    assert trainer.model.is_gradient_checkpointing
    assert trainer.model.training
    assert (trainer.state.global_step, trainer.args.save_total_limit) == (0, 2)
    assert not heard.began
    assert not [*tmp_path.rglob("out/*")]
    trainer.callback_handler.on_train_begin(trainer.args, trainer.state, trainer.control)
    assert heard.began


def test_a_step_computes_gradients_and_changes_no_weight_without_a_learning_rate(trainer):
    step = StepParts(trainer)
    before = [weight.detach().clone() for weight in trainer.model.parameters()]
    batch = step.play([dict(trainer.train_dataset[0])] * 4)
    assert len(lengths_of(batch)) == 4
    step.take_gradient(batch, 4)
    assert any(weight.grad is not None for weight in trainer.model.parameters())
    step.step_optimizer()
    assert all(map(torch.equal, before, trainer.model.parameters()))
    assert len(trainer.optimizer.state) == len(before)
