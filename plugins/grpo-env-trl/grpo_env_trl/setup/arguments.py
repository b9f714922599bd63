"""From settings to TRL's `GRPOConfig` and `ModelConfig`: with our defaults, and TRL's errors as one line."""

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.settings.batch_sizes import check_sizes

DEFAULTS = {
    "logging_steps": 1,
    "logging_strategy": "steps",
    "report_to": "none",
    "save_steps": 50,
    "save_total_limit": 2,
    "disable_tqdm": True,
    "seed": 0,
}
"""Our defaults where they differ from TRL's, for every model."""


def default_arguments(demo: bool) -> dict[str, Any]:
    """Our defaults, for the demo model or for any other."""
    if not demo:
        return {**DEFAULTS, **precision()}
    from grpo_env_trl.demo import demo_settings

    return {**DEFAULTS, **demo_settings()}


def precision() -> dict[str, Any]:
    """The precision that suits the best device of this machine."""
    import torch

    if torch.cuda.is_available():
        return {"bf16": True} if torch.cuda.is_bf16_supported() else {"bf16": False, "fp16": True}
    return {"bf16": False, "fp16": False, "dataloader_pin_memory": torch.accelerator.is_available()}


def grpo_config(asked: Mapping[str, Any], demo: bool, folder: Path) -> Any:
    """The `GRPOConfig` of a run in `folder`."""
    from trl import GRPOConfig

    check_sizes(asked, default_arguments(demo))
    _check_possible(asked)
    made = {**default_arguments(demo), **asked, "output_dir": str(folder / "checkpoints")}
    if made.get("bf16") and asked.get("fp16"):
        made["bf16"] = False
    if made.get("push_to_hub") and not made.get("hub_model_id"):
        made["hub_model_id"] = folder.name  # TRL would take the name of its own folder, "checkpoints"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of transformers, about TRL's own defaults
            return GRPOConfig(**made)
    except (ValueError, TypeError, ImportError, NotImplementedError) as exc:
        raise UsageError(f"TRL rejects these settings: {one_line(exc)}", "Correct the flag that it names.") from exc


def model_arguments(asked: Mapping[str, Any], demo: bool) -> Any:
    """TRL's `ModelConfig` with what the user set."""
    from trl import ModelConfig

    if asked.get("load_in_4bit") or asked.get("load_in_8bit"):
        _check_quantizing(asked)
    if demo and any(asked.get(name) for name in ("load_in_4bit", "load_in_8bit", "attn_implementation", "dtype")):
        raise UsageError("The demo model is always built in float32.", "Choose another model with --model.")
    try:
        made = ModelConfig(**asked)
    except (ValueError, TypeError) as exc:
        raise UsageError(f"TRL rejects these settings: {one_line(exc)}", "Correct the flag that it names.") from exc
    if isinstance(made.lora_target_modules, str) and made.lora_target_modules != "all-linear":
        made.lora_target_modules = [made.lora_target_modules]  # PEFT would read a text as a pattern
    return made


def _check_possible(asked: Mapping[str, Any]) -> None:
    """Raise for what TRL would refuse late, or in words that do not help."""
    if asked.get("remove_unused_columns"):
        raise UsageError("--remove-unused-columns would remove the columns that rewards need.", "Leave it out.")
    if asked.get("bf16") and asked.get("fp16"):
        raise UsageError("--bf16 and --fp16 are both true, and a training has one precision.", "Leave one of them out.")
    if asked.get("deepspeed") and find_spec("deepspeed") is None:
        raise UsageError("--deepspeed needs DeepSpeed, which is not installed.", "pip install deepspeed")


def _check_quantizing(asked: Mapping[str, Any]) -> None:
    import torch

    flag = "--load-in-4bit" if asked.get("load_in_4bit") else "--load-in-8bit"
    if not torch.cuda.is_available():
        raise UsageError(f"{flag} needs a CUDA device, and there is none.", "Remove it: --peft alone is LoRA.")
    if find_spec("bitsandbytes") is None:
        raise UsageError(f"{flag} needs bitsandbytes.", "pip install bitsandbytes")
