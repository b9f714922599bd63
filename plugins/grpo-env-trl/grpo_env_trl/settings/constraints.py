"""Which values make sense, where TRL would say so late, in its own words, or never."""

from collections.abc import Callable

CHOICES: dict[str, tuple[str, ...]] = {
    "importance_sampling_level": ("token", "sequence"),
    "include_num_input_tokens_seen": ("all", "non_padding", "no"),
    "loss_type": ("grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo"),
    "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    "scale_rewards": ("group", "batch", "none"),
    "vllm_importance_sampling_mode": ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"),
    "vllm_mode": ("colocate", "server"),
}
"""What TRL annotates as plain text and refuses in the first step; one that its help quotes is taken too."""

BOUNDS: dict[str, tuple[Callable[[float], bool], frozenset[str]]] = {
    "a number above 0": (
        lambda value: value > 0,
        frozenset({"num_train_epochs", "repetition_penalty", "temperature", "vllm_server_timeout"}),
    ),
    "0 or more": (
        lambda value: value >= 0,
        frozenset({
            "adam_epsilon", "beta", "dataloader_num_workers", "delta", "epsilon", "epsilon_high", "eval_steps",
            "learning_rate", "logging_steps", "max_grad_norm", "off_policy_mask_threshold", "save_steps", "top_k",
            "vllm_importance_sampling_clip_max", "vllm_importance_sampling_clip_min", "warmup_steps", "weight_decay",
        }),
    ),
    "1 or more": (
        lambda value: value >= 1,
        frozenset({
            "generation_batch_size", "gradient_accumulation_steps", "lora_alpha", "lora_r", "max_completion_length",
            "max_tool_calling_iterations", "num_generations", "num_generations_eval", "num_iterations",
            "per_device_eval_batch_size", "per_device_train_batch_size", "save_total_limit", "steps_per_generation",
            "vllm_max_model_length", "vllm_tensor_parallel_size",
        }),
    ),
    "1 or more, or -1 for as many as the epochs come to": (
        lambda value: value == -1 or value >= 1,
        frozenset({"max_steps"}),
    ),
    "a number above 0, at most 1": (
        lambda value: 0 < value <= 1,
        frozenset({"top_p", "vllm_gpu_memory_utilization"}),
    ),
    "a number from 0 to 1": (
        lambda value: 0 <= value <= 1,
        frozenset({"label_smoothing_factor", "lora_dropout", "min_p", "ref_model_mixup_alpha", "top_entropy_quantile"}),
    ),
    "a number from 0, below 1": (lambda value: 0 <= value < 1, frozenset({"adam_beta1", "adam_beta2"})),
    "a port from 1 to 65535": (
        lambda value: 1 <= value <= 65535,
        frozenset({"vllm_group_port", "vllm_server_port"}),
    ),
}  # fmt: skip
"""What is accepted, in words, its test, and the fields that it holds for."""


def outside(name: str, value: float) -> str:
    """What a field accepts, where this value is not it."""
    for words, (accepts, names) in BOUNDS.items():
        if name in names and not accepts(value):
            return words
    return ""
