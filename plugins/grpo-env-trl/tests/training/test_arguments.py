"""From settings to TRL's arguments, and what is measured before and after."""

import pytest
import yaml

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl import train
from grpo_env_trl.settings import TrainSettings, read_settings
from grpo_env_trl.settings.layers import values_from_file
from grpo_env_trl.setup.arguments import grpo_config, model_arguments, precision
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.training.heldout import earlier_result


def test_on_a_processor_alone_the_arithmetic_is_whole():
    assert precision() == {"bf16": False, "fp16": False, "dataloader_pin_memory": False}


def test_where_we_differ_from_trl_is_only_what_nobody_said(tmp_path):
    made = grpo_config({"max_steps": 3, "logging_steps": 5, "seed": 7}, False, tmp_path)
    assert (made.max_steps, made.logging_steps, made.seed, made.save_steps) == (3, 5, 7, 50)
    assert made.report_to == []
    assert made.output_dir == str(tmp_path / "checkpoints")


def test_what_trl_refuses_is_one_line(tmp_path):
    told = r"^TRL rejects these settings: auto_find_batch_size is not supported .*\. Correct the flag that it names\.$"
    with pytest.raises(UsageError, match=told):
        grpo_config({"auto_find_batch_size": True}, False, tmp_path)


def test_two_precisions_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"^--bf16 and --fp16 are both true.*Leave one of them out"):
        grpo_config({"bf16": True, "fp16": True}, False, tmp_path)


@pytest.mark.parametrize("flag", ["load_in_4bit", "load_in_8bit"])
def test_quantizing_without_cuda_is_refused(flag):
    told = rf"--{flag.replace('_', '-')} needs a CUDA device, and there is none\. Remove it: --peft alone"
    with pytest.raises(UsageError, match=told):
        model_arguments({flag: True}, demo=False)


def test_the_demo_model_is_made_one_way():
    with pytest.raises(UsageError, match=r"built in float32\. Choose another model with --model\."):
        model_arguments({"dtype": "bfloat16"}, demo=True)


def test_one_target_module_stays_a_list_and_all_linear_a_word():
    assert model_arguments({"lora_target_modules": ["q_proj"]}, demo=False).lora_target_modules == ["q_proj"]
    assert model_arguments({"lora_target_modules": ["all-linear"]}, demo=False).lora_target_modules == "all-linear"


def test_the_config_that_is_written_reads_back_to_the_same_settings(tmp_path, models):
    words = [
        "environments:Parts", "--model", models(), "--peft", "--lora-r", "4", "--max-steps", "7",
        "--num-generations", "2", "--per-device-train-batch-size", "2", "--rows", "12", "--limit-call", "3.5",
        "--max-turn-tokens", "9", "--min-p", "0.1",
        "--chat-template-kwargs", '{"enable_thinking": false}', "--report-to", "none",
    ]  # fmt: skip
    first = prepare(read_settings(words), tmp_path / "run")
    assert (first.sampling_params().max_turn_tokens, first.sampling_params().min_p) == (9, 0.1)
    (tmp_path / "config.yaml").write_text(first.config_text())
    again = prepare(read_settings(["--config", str(tmp_path / "config.yaml")]), tmp_path / "run")
    assert again.args.to_dict() == first.args.to_dict()
    assert vars(again.model_args) == vars(first.model_args)
    assert again.settings.limits == first.settings.limits
    assert yaml.safe_load(first.config_text())["rows"] == 12
    assert values_from_file(str(tmp_path / "config.yaml"))


def test_an_environment_without_a_solution_needs_a_model():
    with pytest.raises(UsageError, match=r"has no solve\(row\), .*Add a `solve` .* or train another model: --model"):
        prepare(TrainSettings(env="environments:Parts"))


@pytest.mark.parametrize("flag", ["plan", "dry_run", "print_config"])
def test_what_trains_nothing_is_refused_in_a_program(flag):
    with pytest.raises(UsageError, match=rf"{flag}=True\) would train nothing"):
        train("environments:Parts", "no/model", **{flag: True})


def test_a_split_that_does_not_exist_is_answered_with_those_that_do():
    with pytest.raises(UsageError, match=r"--eval-split tset: no such split\. Choose from .*test"):
        prepare(TrainSettings(env="environments:Parts", eval_split="tset"))


def test_held_out_rows_are_the_same_before_and_after_and_are_runs(finished):
    paths = [finished.run / "heldout" / "before", finished.run / "heldout" / "after", finished.run]
    rows = [{episode.row_index for episode in run.episodes()} for run in map(open_run, paths)]
    assert rows[0] == rows[1]
    assert not rows[0] & rows[2]
    assert {**earlier_result(paths[0]), "trained_on": 0} == finished.heldout["before"]


def test_a_measurement_that_was_cut_off_does_not_count(tmp_path):
    assert earlier_result(tmp_path / "before") is None
    (tmp_path / "before").mkdir()
    (tmp_path / "before/summary.json").write_text("{}")
    assert earlier_result(tmp_path / "before") is None
