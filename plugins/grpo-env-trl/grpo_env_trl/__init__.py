"""Train language models with TRL's GRPOTrainer on any environment of grpo-env-sdk.

Every name below is imported when it is first used, as torch and trl take seconds to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
    from grpo_env_trl.inference.policy import TransformersPolicy
    from grpo_env_trl.result import TrainingRun
    from grpo_env_trl.train_function import train

_HOMES = {
    "TrainingRun": "result",
    "TransformersPolicy": "inference.policy",
    "train": "train_function",
    "trainer_kwargs": "bridges.trainer_kwargs",
}

__all__ = ["TrainingRun", "TransformersPolicy", "train", "trainer_kwargs"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
