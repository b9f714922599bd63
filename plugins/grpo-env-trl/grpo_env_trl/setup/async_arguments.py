"""From settings to TRL's `AsyncGRPOConfig`: those that both trainers have, and those that only this one knows."""

import dataclasses
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.setup.arguments import default_arguments
from grpo_env_trl.trl_async import async_config_class

_OTHERWISE = {"use_vllm", "vllm_mode"}
"""What it does anyway: it samples from a vLLM server."""


def async_config(settings: TrainSettings, demo: bool, folder: Path) -> Any:
    """The `AsyncGRPOConfig` of a run in `folder`; raises for what was set and only the other trainer has."""
    config = async_config_class()
    if config is None:
        raise UsageError("--trainer async needs a TRL that has AsyncGRPOTrainer.", "pip install -U trl")
    known = {field.name for field in dataclasses.fields(config) if field.init}
    fields = trainer_fields()
    own = {name: value for name, value in settings.grpo.items() if value != fields[name].default}
    if strange := sorted(own.keys() - known - _OTHERWISE):
        flags = ", ".join(fields[name].flag for name in strange)
        raise UsageError(f"The asynchronous trainer has no {flags}.", "Leave it out, or train without --trainer async.")
    made = {**default_arguments(demo), **own, **settings.asynchronous, "output_dir": str(folder / "checkpoints")}
    made["dtype"] = settings.model_config.get("dtype") or "float32"
    try:
        return config(**{name: value for name, value in made.items() if name in known})
    except (ValueError, TypeError, ImportError, NotImplementedError) as exc:
        raise UsageError(f"TRL rejects these settings: {one_line(exc)}", "Correct the flag that it names.") from exc
