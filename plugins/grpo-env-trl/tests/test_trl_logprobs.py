"""The difference of log-probabilities is logged of the tokens that were sampled, without another forward pass."""

import pytest
import torch
from trl import GRPOConfig, GRPOTrainer

from grpo_env_trl import trainer_kwargs
from grpo_env_trl.trl_logprobs import DIFFERENCE
from grpo_env_trl.trl_step import StepParts


def trainer_on(tiny, tmp_path, **settings):
    model, tokenizer = tiny("qwen3")
    args = GRPOConfig(
        str(tmp_path / "out"), use_cpu=True, bf16=False, per_device_train_batch_size=4, num_generations=2, max_steps=3,
        max_completion_length=40, learning_rate=0.0, report_to="none", disable_tqdm=True, **settings,
    )  # fmt: skip
    return GRPOTrainer(model=model, **trainer_kwargs("environments:Errands", tokenizer, args=args, eval_rows=0))


@pytest.mark.parametrize("settings", [{}, {"num_iterations": 2}])  # the second one has log-probabilities of its own
def test_the_difference_is_that_of_sampled_tokens(settings, tiny, tmp_path):
    trainer = trainer_on(tiny, tmp_path, use_transformers_continuous_batching=True, **settings)
    step, passes = StepParts(trainer), []
    batch = step.play([dict(trainer.train_dataset[0])] * 4)
    trainer.model.register_forward_pre_hook(lambda *given: passes.append(1))
    counts = (batch["completion_mask"] * batch["tool_mask"]).bool()
    assert 0 < counts.sum() < counts.numel()
    batch["sampling_per_token_logps"] += torch.where(counts, 0.25, 7.0)
    batch["sampling_per_token_logps"][counts.nonzero()[0].unbind()] += 1.0
    step.take_gradient(batch, 4)
    logged = {name: trainer._metrics["train"][f"{DIFFERENCE}/{name}"] for name in ("mean", "max")}
    assert logged["mean"] == pytest.approx([0.25 + 1 / int(counts.sum())], abs=1e-4)
    assert logged["max"] == pytest.approx([1.25], abs=1e-4)
    assert len(passes) == 1


def test_without_continuous_batching_nothing_is_added(tiny, tmp_path):
    trainer = trainer_on(tiny, tmp_path)
    step = StepParts(trainer)
    step.take_gradient(step.play([dict(trainer.train_dataset[0])] * 4), 4)
    assert f"{DIFFERENCE}/mean" not in trainer._metrics["train"]
