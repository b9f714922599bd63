"""The asynchronous trainer of `grpo-env train --trainer async`."""

from collections.abc import Callable, Sequence
from typing import Any

from grpo_env_sdk.ext import UnusablePolicyError, one_line
from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.grpo_trainer import environments
from grpo_env_trl.training.trainable_model import trainable_model
from grpo_env_trl.trl_async import sends_adapters
from grpo_env_trl.writers.vllm_servers import RESUME


def async_trainer(setup: TrainingSetup, callbacks: Sequence[Any], seen: Callable[[Batch], None]) -> Any:
    """TRL's `AsyncGRPOTrainer` with the model loaded."""
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    settings, args = setup.settings, setup.async_args
    args.vllm_server_base_url = setup.args.vllm_server_base_url or args.vllm_server_base_url
    kwargs = async_trainer_kwargs(
        environments(setup), setup.tokenizer, args=args, callbacks=callbacks, limits=settings.limits,
        max_turn_tokens=setup.max_turn_tokens, rows=settings.rows, eval_rows=settings.eval_rows, seen=seen,
    )  # fmt: skip
    trainer = AsyncGRPOTrainer(**trainable_model(setup, args), **kwargs)
    if trainer.weight_transfer is not None:
        trainer.weight_transfer = _Transfer(trainer.weight_transfer)
    if sends_adapters(trainer):
        trainer.vllm_client = _Transfer(trainer.vllm_client)
    return trainer


class _Transfer:
    """What TRL sends weights or adapters with; its failure is one line that says how to go on."""

    def __init__(self, transfer: Any) -> None:
        self._transfer = transfer

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._transfer, name)

        def called(*given: Any) -> Any:
            try:
                return method(*given)
            except Exception as exc:  # of the server, of NCCL or of the connection
                told = f"The vLLM server took no weights: {one_line(exc):.300}"
                raise UnusablePolicyError(f"{told.rstrip('.')}.", RESUME, "weights") from exc

        return called
