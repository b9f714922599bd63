"""Every loss and every scaling of rewards that TRL has trains: finite numbers, and weights that change."""

import math

import pytest
import torch
from quick import flags

from grpo_env_sdk.cli import main
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.settings.fields import CHOICES

MODEL = "model.embed_tokens.weight"


def trained(words, models, workplace):
    """The log of a short training, and how far the weights moved."""
    from safetensors.torch import load_file

    given = ["environments:Parts", "--model", models(), *flags(eval_rows=0, learning_rate=0.01), *words]
    assert main(["train", *given]) == 0
    before, after = (load_file(f"{folder}/model.safetensors")[MODEL] for folder in (models(), "run/model"))
    return RunFolder(workplace / "run").logged(), float(torch.linalg.norm(before - after))


@pytest.mark.slow
@pytest.mark.parametrize("loss", CHOICES["loss_type"])
def test_every_loss_trains(loss, models, workplace):
    logged, moved = trained(["--loss-type", loss], models, workplace)
    assert [math.isfinite(entry["loss"]) for entry in logged] == [True, True]
    assert moved > 0


@pytest.mark.slow
@pytest.mark.parametrize("scaling", [*CHOICES["scale_rewards"], "true", "false"])
def test_every_scaling_of_rewards_trains(scaling, models, workplace):
    logged, moved = trained(["--scale-rewards", scaling], models, workplace)
    assert [math.isfinite(entry["loss"]) for entry in logged] == [True, True]
    assert moved > 0
