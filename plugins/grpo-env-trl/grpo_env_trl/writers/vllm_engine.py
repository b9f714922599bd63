"""A vLLM in this process as an engine, such as the one that TRL runs beside the trainer (`vllm_mode="colocate"`)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from grpo_env_trl import trl_vllm
from grpo_env_trl.writers.engine import Completed, Read
from grpo_env_trl.writers.writer import Ask

Asked = TypeVar("Asked", bound=Read)


@contextmanager
def vllm_of(trainer: Any) -> Iterator["VllmEngine[Ask]"]:
    """The trainer's vLLM with the weights of this step; where it sleeps between batches, it is awake meanwhile."""
    with trl_vllm.awake(trainer) as llm_engine:
        sampling = trl_vllm.sampling_of(trainer)
        yield VllmEngine(llm_engine, lambda ask: sampling(ask.most, ask.seed))


class VllmEngine(Generic[Asked]):
    """Requests that vLLM samples together; each has its own cap and seed."""

    def __init__(
        self, llm_engine: Any, sampling: Callable[[Asked], Any], adapter: Any = None,
        prompt: Callable[[Asked], Any] = lambda ask: {"prompt_token_ids": ask.context},
    ) -> None:  # fmt: skip
        """`sampling` gives vLLM's parameters of a request, and `prompt` what it reads.

        `adapter` is the LoRA request that all of them carry.
        """
        self._engine = llm_engine
        self._sampling = sampling
        self._adapter = adapter
        self._prompt = prompt

    def add(self, key: str, ask: Asked) -> None:
        """Take a request."""
        self._engine.add_request(key, self._prompt(ask), self._sampling(ask), lora_request=self._adapter)

    def step(self) -> list[Completed]:
        """Sample the next token of every request."""
        return [_answer(output) for output in self._engine.step() if output.finished]

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests, with their part of the cache."""
        self._engine.abort_request(list(keys))


def _answer(output: Any) -> Completed:
    sampled = output.outputs[0]
    ids = list(sampled.token_ids)
    logprobs = [found[token].logprob for token, found in zip(ids, sampled.logprobs, strict=True)]
    return Completed(output.request_id, ids, logprobs, output.num_cached_tokens)
