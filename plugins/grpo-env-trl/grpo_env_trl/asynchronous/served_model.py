"""The model of an asynchronous training as its vLLM server has it: a policy for held-out rows."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from grpo_env_trl.asynchronous.adapters import newest_adapter
from grpo_env_trl.inference.local_policy import LocalPolicy
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.settings.servers import base_url
from grpo_env_trl.tokens.tokenizers import end_ids
from grpo_env_trl.trl_async import sampling_of, send_newest
from grpo_env_trl.writers.vllm_server import ServerTurns
from grpo_env_trl.writers.vllm_servers import VLLMServers
from grpo_env_trl.writers.writer import Ask


@dataclass(frozen=True)
class ServedModel:
    """Samples as the training does, from the weights that the server was sent last."""

    servers: VLLMServers
    args: Any
    """The trainer's `AsyncGRPOConfig`."""
    ends: list[int]
    """The tokens that end a turn."""

    def policy(self, tokenizer: Any, name: str, usual: SamplingParams) -> LocalPolicy:
        """The policy of one evaluation; `usual` is how it samples unless a request says otherwise."""
        return LocalPolicy(
            _ServerSampler(self), tokenizer, name=name, usual=usual, ends=self.ends,
            reads=self.servers.context_length, notes=False,
        )  # fmt: skip


def newest_on_server(trainer: Any) -> ServedModel:
    """The model with the weights of now, which go to the server first; every process must call this."""
    send_newest(trainer)
    servers = VLLMServers([base_url(trainer.args.vllm_server_base_url)])
    return ServedModel(servers, trainer.args, end_ids(trainer.model.generation_config.eos_token_id))


class _ServerSampler:
    """Has the server sample answers, with the settings that each of them has."""

    def __init__(self, model: ServedModel) -> None:
        self._model = model
        self._turns: ServerTurns | None = None
        self._asked = 0

    async def written(
        self, answer: Answer, off_the_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Wait for this answer, which nothing in this process delays."""
        self._asked += 1
        ask = Ask(self._asked, answer.context, answer.most, answer.seed % 2**63)
        with off_the_clock():
            written = await self._source(answer).write(ask)
        answer.ids, answer.logprobs = written.ids, written.logprobs or []

    async def close(self) -> None:
        """Close what is connected."""
        if self._turns is not None:
            await self._turns.close()

    def _source(self, answer: Answer) -> ServerTurns:
        """Where answers come from; all of one evaluation are sampled in the same way."""
        if self._turns is None:
            args = self._model.args
            own = {name: getattr(answer, name) for name in ("temperature", "top_p", "top_k", "min_p")}
            sampling = {**sampling_of(args, sorted(answer.ends)), **own}
            servers, patience = self._model.servers, args.vllm_server_timeout
            newest = newest_adapter(servers.all[0].served)
            self._turns = ServerTurns(servers, None, sampling, patience, lambda: newest)
        return self._turns
