import shutil
from types import SimpleNamespace

import pytest
from trl import GRPOConfig, ModelConfig

from grpo_env_trl.preflight.disk import checkpoints_of, taken_folder, too_full, unwritable
from grpo_env_trl.preflight.memory import GIB, estimated, too_large
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.shape import Shape
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.preparing import prepare

SEVEN = Shape(parameters=7 * 10**9, trained=7 * 10**9, hidden=4096, layers=32, vocabulary=32_000, cached=2048)


def needs(shape=SEVEN, width=4.0, peft=False, **settings):
    args = GRPOConfig(output_dir="out", use_cpu=True, bf16=False, **settings)
    return estimated(shape, args, ModelConfig(use_peft=peft), width)


def test_full_training_takes_four_times_the_weights():
    found = needs()
    assert found.gradients == found.weights == 28e9
    assert found.optimizer == 56e9
    assert found.whole > 4 * found.weights


def test_an_adapter_takes_little_more_than_the_weights():
    found = needs(Shape(7 * 10**9, 4 * 10**7, 4096, 32, 32_000, 2048), width=2.0, peft=True)
    assert found.weights == 14e9
    assert found.optimizer + found.gradients < 1e9


def test_a_reference_an_eight_bit_optimizer_and_no_checkpointing_count():
    assert needs(beta=0.1).reference == needs().weights
    assert needs(optim="adamw_8bit").optimizer == needs().optimizer / 4
    assert needs(gradient_checkpointing=False).activations > 8 * needs().activations


def test_weights_that_cannot_fit_are_refused_and_a_near_thing_is_a_warning():
    found = needs()
    (refused,) = too_large(found, "this machine", 16 * GIB, 12 * GIB, ["--peft"])
    assert refused.fatal
    assert str(refused) == "The weights alone need 26.1 GiB, and this machine has 16.0 GiB. These options help: --peft."
    (warned,) = too_large(found, "this machine", 64 * GIB, 60 * GIB, ["--peft"])
    assert not warned.fatal
    assert "A training step needs about " in warned.message
    assert "optimizer 52.2" in warned.message
    assert [*too_large(found, "this machine", 900 * GIB, 800 * GIB, [])] == []


def test_the_shape_of_a_model_is_told_by_its_config(models, tmp_path, tiny):
    model, _ = tiny("qwen3")
    for words, part in (([], 1.0), (["--peft", "--lora-r", "2", "--lora-target-modules", "q_proj", "v_proj"], 0.2)):
        settings = read_settings(["trials:Sums", "--model", models("qwen3"), *words])
        found = PlannedTraining(prepare(settings, tmp_path / "run")).shape
        assert found.parameters == sum(weight.numel() for weight in model.parameters())
        assert 0 < found.trained <= part * found.parameters
        assert (found.hidden, found.layers, found.cached) == (32, 2, 32)


def test_an_adapter_that_fits_nowhere_is_refused(dry_run, models):
    words = ["--peft", "--lora-target-modules", "query", "value"]
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), *words)
    assert (code, told.count("\n")) == (2, 1)
    assert "The adapter matches no layer of this model: Target modules " in told
    assert told.endswith("Use --lora-target-modules all-linear.\n")


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    assert [*taken_folder(tmp_path / "run")] == [*taken_folder(tmp_path / "none")] == []
    (tmp_path / "run" / "manifest.json").touch()
    (problem,) = taken_folder(tmp_path / "run")
    assert "already has a run. Resume it with --resume " in str(problem)
    (problem,) = taken_folder(tmp_path / "run" / "manifest.json")
    assert "is not a folder. Take another --out." in str(problem)


def test_a_folder_that_cannot_be_written_to_is_refused_by_the_command(dry_run, models, tmp_path):
    (tmp_path / "file").touch()
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), "--out", "file/run")
    assert (code, told.count("\n")) == (2, 1)
    assert " cannot be written: " in told
    assert "Not a directory. Use another --out." in told
    assert [*unwritable(tmp_path / "new" / "run")] == []
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checkpoints").touch()
    (problem,) = unwritable(tmp_path / "run")
    assert "checkpoints' cannot be written: Not a directory." in problem.message
    shutil.rmtree(tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_is_too_full_is_told_with_what_helps(tmp_path):
    (refused,) = too_full(tmp_path, 10 * GIB, 20 * GIB, 7 * GIB, 3)
    assert refused.fatal
    assert "3 checkpoints of 20.0 GiB and the model of 7.0 GiB do not fit on the disk of " in refused.message
    assert "which has 10.0 GiB free." in refused.message
    assert "--save-total-limit 1" in refused.hint
    (warned,) = too_full(tmp_path, 30 * GIB, 20 * GIB, 7 * GIB, 3)
    assert not warned.fatal
    assert [*too_full(tmp_path, 70 * GIB, 20 * GIB, 7 * GIB, 3)] == []
    (small,) = too_full(tmp_path, 2e6, 2e6, 1e6, 1)
    assert "1 checkpoint of 1.9 MiB" in small.message


@pytest.mark.parametrize(("strategy", "limit", "steps", "count"), [
    ("no", 2, -1, 0), ("steps", 2, -1, 3), ("steps", 2, 40, 1), ("steps", None, -1, 5), ("epoch", 1, 40, 2),
])  # fmt: skip
def test_checkpoints_that_stand_at_once_are_counted(strategy, limit, steps, count):
    given = SimpleNamespace(save_strategy=strategy, save_total_limit=limit, max_steps=steps, save_steps=50)
    assert checkpoints_of(given) == count
