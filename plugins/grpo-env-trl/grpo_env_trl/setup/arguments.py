"""From settings to TRL's `GRPOConfig`: our defaults under what somebody set, and its refusals as one line."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_trl.settings.batch_sizes import check_sizes

USUAL = {
    "logging_steps": 1,
    "logging_strategy": "steps",
    "report_to": "none",
    "save_steps": 50,
    "save_total_limit": 2,
    "disable_tqdm": True,
    "seed": 0,
}
"""Where we differ from TRL for every model."""


def usual_arguments(demo: bool) -> dict[str, Any]:
    """What holds where nobody says otherwise, for the demo model or for one of somebody's own."""
    if not demo:
        return {**USUAL, **precision()}
    from grpo_env_trl.demo import demo_settings

    return {**USUAL, **demo_settings()}


def precision() -> dict[str, Any]:
    """The arithmetic that this machine's best device is good at."""
    import torch

    if torch.cuda.is_available():
        return {"bf16": True} if torch.cuda.is_bf16_supported() else {"bf16": False, "fp16": True}
    return {"bf16": False, "fp16": False, "dataloader_pin_memory": torch.accelerator.is_available()}


def grpo_config(asked: Mapping[str, Any], demo: bool, folder: Path) -> Any:
    """The `GRPOConfig` of a run in `folder`."""
    from trl import GRPOConfig

    check_sizes(asked, usual_arguments(demo))
    made = {**usual_arguments(demo), **asked, "output_dir": str(folder / "checkpoints")}
    if made.get("bf16") and asked.get("fp16"):
        made["bf16"] = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of transformers, about TRL's own defaults
            return GRPOConfig(**made)
    except (ValueError, TypeError, ImportError, NotImplementedError) as exc:
        raise UsageError(f"TRL refuses these settings: {one_line(exc)}", "Correct the flag that it names.") from exc


def model_arguments(asked: Mapping[str, Any], demo: bool) -> Any:
    """TRL's `ModelConfig` with what somebody set."""
    from trl import ModelConfig

    if asked.get("load_in_4bit") or asked.get("load_in_8bit"):
        _check_quantizing(asked)
    if demo and any(asked.get(name) for name in ("load_in_4bit", "load_in_8bit", "attn_implementation", "dtype")):
        raise UsageError("The demo model is made on the spot, in float32.", "Name a model with --model.")
    try:
        made = ModelConfig(**asked)
    except (ValueError, TypeError) as exc:
        raise UsageError(f"TRL refuses these settings: {one_line(exc)}", "Correct the flag that it names.") from exc
    if isinstance(made.lora_target_modules, str) and made.lora_target_modules != "all-linear":
        made.lora_target_modules = [made.lora_target_modules]  # PEFT would take a text as a pattern
    return made


def _check_quantizing(asked: Mapping[str, Any]) -> None:
    import torch

    flag = "--load-in-4bit" if asked.get("load_in_4bit") else "--load-in-8bit"
    if not torch.cuda.is_available():
        raise UsageError(f"{flag} needs a CUDA device, and there is none here.", "Leave it out: --peft alone is LoRA.")
    from importlib.util import find_spec

    if find_spec("bitsandbytes") is None:
        raise UsageError(f"{flag} needs bitsandbytes.", "pip install bitsandbytes")
