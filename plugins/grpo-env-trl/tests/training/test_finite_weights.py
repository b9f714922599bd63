"""A model whose weights became NaN, or too large, ends its training with one line, and no checkpoint keeps it."""

from pathlib import Path

import pytest
import torch
from quick import flags, quick_run
from transformers import TrainerCallback

from grpo_env_sdk.cli import main
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.training.finite_weights import BrokenWeightsError

LONG = {"max_steps": 3, "save_strategy": "steps", "save_steps": 1, "eval_rows": 0}


class Multiplies(TrainerCallback):
    """Multiplies the weights after a step, as one that was too large does."""

    def __init__(self, step, factor):
        self.step, self.factor = step, factor

    def on_step_end(self, args, state, control, model, **kwargs):
        if state.global_step == self.step:
            with torch.no_grad():
                for weight in model.parameters():
                    weight.mul_(self.factor)


def test_weights_that_are_nan_end_a_training_whose_last_checkpoint_is_from_before(models, workplace):
    with pytest.raises(
        BrokenWeightsError,
        match=r"After step 2 the model gives NaN.* from step 1: model='run/checkpoints/checkpoint-1' ",
    ) as caught:
        quick_run("lessons:Spell", models(), "run", callbacks=[Multiplies(2, float("nan"))], **LONG)
    assert "\n" not in str(caught.value)
    assert [*RunFolder(Path("run")).checkpoints()] == [1]
    more = flags(**LONG | {"max_steps": 1, "learning_rate": 1e-5, "out": "lower"})
    assert main(["train", "lessons:Spell", "--model", "run/checkpoints/checkpoint-1", "--quiet", *more]) == 0
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2, 3]


def test_weights_with_which_nothing_can_be_computed_are_one_line_too(models, workplace):
    with pytest.raises(BrokenWeightsError, match=r"After step \d the model gives NaN or infinity"):
        quick_run("lessons:Spell", models(), "run", callbacks=[Multiplies(1, 1e30)], **LONG)


def test_a_model_that_is_nan_before_its_training_is_named_before_anything_is_kept(tiny, workplace):
    model, tokenizer = tiny()
    with torch.no_grad():
        next(model.parameters())[0] = float("nan")
    with pytest.raises(BrokenWeightsError, match="its weights are broken"):
        quick_run("lessons:Spell", model, "run", tokenizer=tokenizer, **LONG)
    assert [*workplace.iterdir()] == []
