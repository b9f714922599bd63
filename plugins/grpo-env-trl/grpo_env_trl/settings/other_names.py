"""Names of settings that today's TRL does not have: aliases, another trainer's flags, and removed names."""

from collections.abc import Container
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.fields import trl_version

ALIASES = {
    "batch_size": "per_device_train_batch_size",
    "epochs": "num_train_epochs",
    "lr": "learning_rate",
    "model_name_or_path": "model",
    "output_dir": "out",
    "peft": "use_peft",
    "project_name": "out",
    "resume_from_checkpoint": "resume",
    "reward_funcs": "reward_func",
    "reward_model_name_or_path": "reward_model",
    "rl_clip_range": "epsilon",
    "rl_env_config": "env_config",
    "rl_kl_coef": "beta",
    "rl_max_new_tokens": "max_completion_length",
    "rl_num_generations": "num_generations",
    "rl_temperature": "temperature",
    "rl_top_k": "top_k",
    "rl_top_p": "top_p",
}
"""Another name of a setting, and the setting."""

DEFAULTS: dict[str, Any] = {
    "beta": 0.1,
    "epsilon": 0.2,
    "max_completion_length": 128,
    "num_generations": 4,
    "temperature": 1.0,
    "top_k": 50,
    "top_p": 1.0,
    "vllm_gpu_memory_utilization": 0.3,
}
"""The defaults where `--rl-env-module` is given."""

RENAMED = {
    "clip_range": "epsilon",
    "clip_range_high": "epsilon_high",
    "cliprange": "epsilon",
    "config_file": "accelerate_config",
    "eval_batch_size": "per_device_eval_batch_size",
    "evaluation_strategy": "eval_strategy",
    "fp16_backend": "fp16",
    "gradient_accumulation": "gradient_accumulation_steps",
    "half_precision_backend": "bf16",
    "include_inputs_for_metrics": "include_for_metrics",
    "kl_coef": "beta",
    "learning_rate_scheduler": "lr_scheduler_type",
    "lora_modules": "lora_target_modules",
    "lora_rank": "lora_r",
    "max_length": "max_completion_length",
    "max_lora_rank": "lora_r",
    "max_new_tokens": "max_completion_length",
    "max_tokens": "max_completion_length",
    "model_dtype": "dtype",
    "model_id": "model",
    "model_name": "model",
    "num_epochs": "num_train_epochs",
    "num_sample_generations": "num_generations",
    "optimizer": "optim",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "push_to_hub_model_id": "hub_model_id",
    "push_to_hub_organization": "hub_model_id",
    "push_to_hub_token": "hub_token",
    "scheduler": "lr_scheduler_type",
    "server_ip": "vllm_server_host",
    "target_modules": "lora_target_modules",
    "torch_dtype": "dtype",
    "torchdynamo": "torch_compile_backend",
    "use_liger_loss": "use_liger_kernel",
    "vllm_base_url": "vllm_server_base_url",
    "vllm_guided_decoding_regex": "vllm_structured_outputs_regex",
    "vllm_max_model_len": "vllm_max_model_length",
    "wandb_log_unique_prompts": "log_unique_prompts",
    "wandb_project": "project",
}
"""A removed name, or one of another library, and today's name."""

_ROWS = "The rows come from the environment: remove it."
_SCRIPT = "or keep your script with trainer_kwargs(env, tokenizer, args=args)."
_ACCELERATOR = """Use --accelerator-config '{"%s": true}'."""
_FSDP = """Use --fsdp-config '{"%s": ...}'."""
GONE = {
    "adafactor": "Use --optim adafactor.",
    "args": f"Give each field of GRPOConfig by its name, {_SCRIPT}",
    "data_path": _ROWS,
    "dataset_config": _ROWS,
    "dataset_name": _ROWS,
    "dataset_test_split": "Use --eval-split.",
    "dataset_train_split": _ROWS,
    "device_map": "The launcher gives each process its device: remove it.",
    "dispatch_batches": _ACCELERATOR % "dispatch_batches",
    "environment_factory": "Use --bridge environment_factory.",
    "eval_dataset": "The rows come from the environment: choose some with --eval-split and --eval-rows.",
    "fp16_opt_level": "Apex is gone: use --fp16 or --bf16.",
    "fsdp_min_num_params": _FSDP % "min_num_params",
    "fsdp_transformer_layer_cls_to_wrap": _FSDP % "transformer_layer_cls_to_wrap",
    "group_by_length": "Use --train-sampling-strategy group_by_length.",
    "include_tokens_per_second": "Use --include-num-input-tokens-seen all.",
    "jit_mode_eval": "Use --torch-compile.",
    "logging_dir": "Set the environment variable TENSORBOARD_LOGGING_DIR.",
    "max_prompt_length": "TRL no longer cuts prompts: keep the prompts of the environment short enough.",
    "max_seq_length": "Prompts are not cut; --max-completion-length limits what the model writes.",
    "mixed_precision": "Use --bf16 or --fp16.",
    "mp_parameters": "SageMaker's model parallelism is gone: use --fsdp or --deepspeed.",
    "no_cuda": "Use --use-cpu.",
    "overwrite_output_dir": "Every run has its own folder: use --out DIR, or --resume RUN to continue one.",
    "optimizers": f"Use --optim, {_SCRIPT}",
    "past_index": "It did nothing here: remove it.",
    "peft_config": "Use --use-peft with --lora-r and the like, or give get_peft_model(model, config) as the model.",
    "processing_class": "It comes with --model; beside a loaded model, train() takes it as `tokenizer`.",
    "quantization": "Use --load-in-4bit or --load-in-8bit.",
    "quantization_config": "Use --load-in-4bit or --load-in-8bit, or give train() a model that is loaded with it.",
    "ray_scope": "It did nothing here: remove it.",
    "ref_model": "The reference is the model before training: --beta enables it.",
    "rollout_func": "Use --bridge rollout.",
    "save_safetensors": "Every checkpoint is in safetensors now: remove it.",
    "split_batches": _ACCELERATOR % "split_batches",
    "text_column": _ROWS,
    "tokenizer": "The tokenizer comes with --model: remove it.",
    "tokenizer_name": "The tokenizer comes with --model: remove it.",
    "tools": "The tools are methods of the environment, marked @tool.",
    "tpu_metrics_debug": "Use --debug tpu_metrics_debug.",
    "tpu_num_cores": "The launcher sets the number of processes: remove it.",
    "train": "`grpo-env train` implies it: remove it.",
    "train_dataset": _ROWS,
    "train_split": _ROWS,
    "use_ipex": "It is part of PyTorch now: remove it.",
    "use_legacy_prediction_loop": "It did nothing here: remove it.",
    "use_mps_device": "An Apple GPU is found automatically: remove it.",
    "vllm_device": "vLLM shares the GPUs of training (--vllm-mode colocate) or has a server of its own.",
    "vllm_dtype": "vLLM uses the dtype of the model: use --dtype.",
    "vllm_enable_prefix_caching": "vLLM does it automatically: remove it.",
    "warmup_ratio": "Use --warmup-steps; a number below 1 is a share of all steps.",
}
"""Removed names without a direct replacement and arguments of TRL's trainer, and what to do instead."""


def refuse_removed(name: str, written: str, known: Container[str]) -> None:
    """Raise for a name that TRL removed, or that is no setting; `written` is the flag or the file and key."""
    if name in known or name not in RENAMED.keys() | GONE.keys():
        return
    today = f"Its name is now {flag_of(RENAMED[name])}." if name in RENAMED else GONE[name]
    raise UsageError(f"{written} is not a setting of TRL {trl_version()}.", today)
