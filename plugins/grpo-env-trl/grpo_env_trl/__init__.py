"""Train language models with TRL's GRPOTrainer on any environment of grpo-env-sdk.

Every name below is imported when it is first used, as torch and trl take seconds to import.
"""

from typing import TYPE_CHECKING

from grpo_env_sdk.ext import lazy_exports

if TYPE_CHECKING:
    from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
    from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
    from grpo_env_trl.costs.cost_plan import CostPlan
    from grpo_env_trl.inference.policy import TransformersPolicy
    from grpo_env_trl.models.loading import open_model
    from grpo_env_trl.result import TrainingRun
    from grpo_env_trl.train_function import plan_training, train

_HOMES = {
    "async_trainer_kwargs": "asynchronous.async_kwargs",
    "TrainingRun": "result",
    "TransformersPolicy": "inference.policy",
    "CostPlan": "costs.cost_plan",
    "open_model": "models.loading",
    "plan_training": "train_function",
    "train": "train_function",
    "trainer_kwargs": "bridges.trainer_kwargs",
}

__all__ = [
    "CostPlan", "TrainingRun", "TransformersPolicy", "async_trainer_kwargs", "open_model", "plan_training", "train",
    "trainer_kwargs",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
