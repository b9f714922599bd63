"""The asynchronous trainer of `grpo-env train --trainer async`."""

from collections.abc import Callable, Sequence
from typing import Any

from grpo_env_sdk.ext import UnusablePolicyError, one_line
from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.grpo_trainer import environments
from grpo_env_trl.training.trainable_model import loadable_model
from grpo_env_trl.trl_async import ASKS, longest_wait, sends_adapters
from grpo_env_trl.writers.vllm_servers import RESUME
from grpo_env_trl.writers.waiting import FIRST, named_while_waiting


def async_trainer(setup: TrainingSetup, callbacks: Sequence[Any], seen: Callable[[Batch], None]) -> Any:
    """TRL's `AsyncGRPOTrainer` with the model loaded."""
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    settings, args = setup.settings, setup.async_args
    args.vllm_server_base_url = setup.args.vllm_server_base_url or args.vllm_server_base_url
    kwargs = async_trainer_kwargs(
        environments(setup), setup.tokenizer, args=args, callbacks=callbacks, limits=settings.limits,
        max_turn_tokens=setup.max_turn_tokens, rows=settings.rows, eval_rows=settings.eval_rows, seen=seen,
    )  # fmt: skip
    with loadable_model(setup, args) as model:
        trainer = AsyncGRPOTrainer(**model, **kwargs)
    if trainer.weight_transfer is not None:
        trainer.weight_transfer = Transfer(trainer.weight_transfer, args.vllm_server_base_url)
    if sends_adapters(trainer):
        trainer.vllm_client = Transfer(trainer.vllm_client, args.vllm_server_base_url)
    return trainer


class Transfer:
    """What TRL sends weights or adapters with; its failure is a line that says how to go on, a long wait a warning."""

    def __init__(self, transfer: Any, url: str, first: float = FIRST) -> None:
        """`first` are the seconds after which a wait is named."""
        self._transfer, self._url, self._first = transfer, url, first

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._transfer, name)
        what, most = f"{self._url} {ASKS.get(name, '')}".rstrip(), longest_wait(self._transfer, name)

        def called(*given: Any) -> Any:
            try:
                with named_while_waiting(what, most, self._first):
                    return method(*given)
            except Exception as exc:  # of the server, of NCCL or of the connection
                told = f"The vLLM server took no weights: {one_line(exc):.300}"
                raise UnusablePolicyError(f"{told.rstrip('.')}.", RESUME, "weights") from exc

        return called
