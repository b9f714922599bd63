"""How the demo model is trained."""

from typing import Any


def demo_settings() -> dict[str, Any]:
    """Fields of `trl.GRPOConfig` with which a demo model learns in about a minute on two cores."""
    from transformers import TrainingArguments

    renamed = "activation_checkpointing" in TrainingArguments.__dataclass_fields__
    checkpointing = "activation_checkpointing" if renamed else "gradient_checkpointing"
    return {
        "learning_rate": 1e-3,
        "lr_scheduler_type": "constant_with_warmup",
        "warmup_steps": 10,
        "max_steps": 120,
        "per_device_train_batch_size": 32,
        "gradient_accumulation_steps": 2,  # 64 at once would take 130 MB more
        "num_generations": 8,
        "max_completion_length": 256,
        "temperature": 1.0,
        "top_k": 0,
        "beta": 0.0,
        "loss_type": "dapo",
        "scale_rewards": "group",
        "max_grad_norm": 1.0,
        "adam_beta2": 0.99,
        "weight_decay": 0.0,
        "disable_dropout": True,
        checkpointing: False,
        "ddp_find_unused_parameters": False,
        "bf16": False,
        "use_cpu": True,
    }
