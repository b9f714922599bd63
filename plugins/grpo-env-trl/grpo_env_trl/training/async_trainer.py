"""The asynchronous trainer of `grpo-env train --trainer async`."""

from collections.abc import Callable, Sequence
from typing import Any

from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.trainable_model import trainable_model


def async_trainer(setup: TrainingSetup, callbacks: Sequence[Any], seen: Callable[[Batch], None]) -> Any:
    """TRL's `AsyncGRPOTrainer` with the model loaded."""
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    settings, args = setup.settings, setup.async_args
    args.vllm_server_base_url = setup.args.vllm_server_base_url or args.vllm_server_base_url
    kwargs = async_trainer_kwargs(
        setup.loaded, setup.tokenizer, args=args, callbacks=callbacks, limits=settings.limits,
        max_turn_tokens=setup.max_turn_tokens, rows=settings.rows, eval_rows=settings.eval_rows, seen=seen,
    )  # fmt: skip
    return AsyncGRPOTrainer(**trainable_model(setup, args), **kwargs)
