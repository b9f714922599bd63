"""Names that scripts still say are answered with today's."""

import dataclasses

import pytest
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.model_config import ModelConfig

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.settings import read_settings
from grpo_env_trl.settings.flags import own_actions
from grpo_env_trl.settings.other_names import ALIASES, GONE, RENAMED

TODAY = {field.name for config in (GRPOConfig, ModelConfig) for field in dataclasses.fields(config)}
KNOWN = TODAY | set(ALIASES) | set(own_actions())
ONCE_IN_TRL = [
    "max_prompt_length", "torch_dtype", "vllm_guided_decoding_regex", "vllm_max_model_len", "vllm_device",
    "vllm_dtype", "vllm_enable_prefix_caching", "use_liger_loss", "wandb_log_unique_prompts",
]  # fmt: skip
ONCE_IN_TRANSFORMERS = [
    "overwrite_output_dir", "evaluation_strategy", "per_gpu_train_batch_size", "per_gpu_eval_batch_size",
    "warmup_ratio", "logging_dir", "save_safetensors", "no_cuda", "use_mps_device", "jit_mode_eval", "use_ipex",
    "fp16_opt_level", "fp16_backend", "half_precision_backend", "tpu_num_cores", "tpu_metrics_debug", "past_index",
    "fsdp_min_num_params", "adafactor", "group_by_length", "fsdp_transformer_layer_cls_to_wrap",
    "use_legacy_prediction_loop", "include_inputs_for_metrics", "push_to_hub_model_id", "push_to_hub_organization",
    "push_to_hub_token", "mp_parameters", "torchdynamo", "ray_scope", "dispatch_batches", "split_batches",
    "include_tokens_per_second",
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(RENAMED.keys() | GONE.keys()))
def test_a_name_of_yesterday_is_answered_with_todays(name, tmp_path):
    assert name not in KNOWN, "TRL has it, or we do"
    today = f"--{RENAMED[name].replace('_', '-')}" if name in RENAMED else GONE[name]
    file = tmp_path / "run.yaml"
    file.write_text(f"{name}: 1\n")
    for words, where in [
        (["h", f"--{name}", "1"], f"--{name.replace('_', '-')} is"),
        (["h", f"--{name.replace('_', '-')}=1"], f"--{name.replace('_', '-')} is"),
        (["h", "--config", str(file)], f"{file}: {name} is"),
    ]:
        with pytest.raises(UsageError) as caught:
            read_settings(words)
        message = str(caught.value)
        assert message.startswith(where)
        assert today in message
        assert "\n" not in message


def test_todays_names_exist():
    assert set(RENAMED.values()) <= KNOWN
    named = {word.strip(".:,;'`)") for text in GONE.values() for word in text.split() if word.startswith("--")}
    assert {word[2:].replace("-", "_") for word in named} <= KNOWN


def test_whatever_older_versions_had_and_todays_have_not_is_answered():
    assert [
        name for name in ONCE_IN_TRL + ONCE_IN_TRANSFORMERS if name not in KNOWN | RENAMED.keys() | GONE.keys()
    ] == []
