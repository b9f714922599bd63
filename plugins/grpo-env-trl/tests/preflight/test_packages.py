"""Settings that need a package: what is missing is one line with the pip command, before a model is loaded."""

import pytest

MISSING = {
    "--report-to wandb": "pip install wandb",
    "--report-to tensorboard": "pip install tensorboard",
    "--report-to comet_ml": "pip install comet-ml",
    "--report-to dagshub": "pip install dagshub mlflow",
    "--use-liger-kernel": "pip install liger-kernel",
    "--use-vllm": "pip install 'grpo-env-trl[vllm]'",
    "--attn-implementation flash_attention_2": "pip install flash-attn",
    '--deepspeed {"zero_optimization":{"stage":2}}': "pip install deepspeed",
    "--optim adamw_8bit": "pip install -U bitsandbytes",
    "--optim galore_adamw": "GaLore",
    "--optim schedule_free_adamw": "pip install schedulefree",
    "--optim adamw_torch_8bit": "pip install torchao",
}


@pytest.mark.parametrize("words", MISSING)
def test_a_package_that_is_missing_is_named_with_its_flag_and_the_pip_command(words, dry_run, models):
    code, told = dry_run("environments:Errands", "--model", models("qwen3"), *words.split())
    assert code == 2
    (line,) = told.splitlines()
    assert line.startswith(f"grpo-env: {words.partition(' {')[0]}")
    assert MISSING[words] in line


def test_every_tracker_that_is_missing_is_named_at_once(dry_run, models):
    code, told = dry_run("environments:Errands", "--model", models("qwen3"), "--report-to", "wandb,trackio")
    assert code == 2
    assert [line for line in told.splitlines() if "pip install wandb" in line or "pip install trackio" in line] == (
        told.splitlines()
    )
    assert len(told.splitlines()) == 2


def test_a_folder_that_a_tracker_left_is_no_package(dry_run, models, tmp_path):
    (tmp_path / "wandb").mkdir()
    code, told = dry_run("environments:Errands", "--model", models("qwen3"), "--report-to", "wandb")
    assert code == 2
    assert "pip install wandb" in told


@pytest.mark.parametrize("words", ["--optim sgd", "--optim adafactor", "--optim adamw_torch", "--report-to none"])
def test_what_needs_no_package_is_told_nothing(words, dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), *words.split())
    assert (code, told.splitlines()[0][:9]) == (0, "Training ")


def test_a_setting_that_would_take_the_columns_away_is_refused(dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), "--remove-unused-columns")
    assert code == 2
    assert "--remove-unused-columns would remove the columns that rewards need" in told
