"""Names that TRL and transformers dropped, or never had, and what to say today."""

from collections.abc import Container

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.settings.fields import trl_version

RENAMED = {
    "clip_range": "epsilon",
    "clip_range_high": "epsilon_high",
    "cliprange": "epsilon",
    "eval_batch_size": "per_device_eval_batch_size",
    "evaluation_strategy": "eval_strategy",
    "fp16_backend": "fp16",
    "gradient_accumulation": "gradient_accumulation_steps",
    "half_precision_backend": "bf16",
    "include_inputs_for_metrics": "include_for_metrics",
    "kl_coef": "beta",
    "learning_rate_scheduler": "lr_scheduler_type",
    "lora_modules": "lora_target_modules",
    "max_length": "max_completion_length",
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
"""An older name, or another library's, and today's."""

_ROWS = "The rows come from the environment: leave it out."
_ACCELERATOR = """Say --accelerator-config '{"%s": true}'."""
_FSDP = """Say --fsdp-config '{"%s": ...}'."""
GONE = {
    "adafactor": "Say --optim adafactor.",
    "data_path": _ROWS,
    "dataset_config": _ROWS,
    "dataset_name": _ROWS,
    "dataset_test_split": "Say --eval-split.",
    "dataset_train_split": _ROWS,
    "dispatch_batches": _ACCELERATOR % "dispatch_batches",
    "environment_factory": "Say --bridge environment_factory.",
    "fp16_opt_level": "Apex is gone: say --fp16 or --bf16.",
    "fsdp_min_num_params": _FSDP % "min_num_params",
    "fsdp_transformer_layer_cls_to_wrap": _FSDP % "transformer_layer_cls_to_wrap",
    "group_by_length": "Say --train-sampling-strategy group_by_length.",
    "include_tokens_per_second": "Say --include-num-input-tokens-seen all.",
    "jit_mode_eval": "Say --torch-compile.",
    "logging_dir": "Set the environment variable TENSORBOARD_LOGGING_DIR.",
    "max_prompt_length": "No prompt is cut any more: see to it that an environment's prompts are short enough.",
    "max_seq_length": "Prompts are not cut; --max-completion-length caps what the model writes.",
    "mixed_precision": "Say --bf16 or --fp16.",
    "mp_parameters": "SageMaker's model parallelism is gone: say --fsdp or --deepspeed.",
    "no_cuda": "Say --use-cpu.",
    "overwrite_output_dir": "A run has a folder of its own: say --out DIR, or --resume RUN to go on.",
    "past_index": "It did nothing here: leave it out.",
    "quantization": "Say --load-in-4bit or --load-in-8bit.",
    "ray_scope": "It did nothing here: leave it out.",
    "ref_model": "The reference is the model before training: --beta switches it on.",
    "reward_funcs": "The rewards are the environment's: leave it out.",
    "reward_model_name_or_path": "The rewards are the environment's: leave it out.",
    "rollout_func": "Say --bridge rollout.",
    "save_safetensors": "Every checkpoint is in safetensors now: leave it out.",
    "split_batches": _ACCELERATOR % "split_batches",
    "text_column": _ROWS,
    "tokenizer": "The tokenizer comes with --model: leave it out.",
    "tokenizer_name": "The tokenizer comes with --model: leave it out.",
    "tpu_metrics_debug": "Say --debug tpu_metrics_debug.",
    "tpu_num_cores": "The launcher says how many processes there are: leave it out.",
    "train": "`grpo-env train` says it already: leave it out.",
    "train_split": _ROWS,
    "use_ipex": "It is part of PyTorch now: leave it out.",
    "use_legacy_prediction_loop": "It did nothing here: leave it out.",
    "use_mps_device": "An Apple GPU is found by itself: leave it out.",
    "vllm_device": "vLLM shares the GPUs of training (--vllm-mode colocate) or has a server of its own.",
    "vllm_dtype": "vLLM takes the model's: say --dtype.",
    "vllm_enable_prefix_caching": "vLLM does it by itself: leave it out.",
    "warmup_ratio": "Say --warmup-steps; a number below 1 is a share of all steps.",
}
"""Names that nothing replaces one for one, and what to do instead."""


def refuse_dropped(name: str, written: str, known: Container[str]) -> None:
    """Raise for a name that today's TRL does not have and some script still says; `written` is how it stands there."""
    if name in known or name not in RENAMED.keys() | GONE.keys():
        return
    today = f"Today it is --{RENAMED[name].replace('_', '-')}." if name in RENAMED else GONE[name]
    raise UsageError(f"{written} is no setting of TRL {trl_version()}.", today)
