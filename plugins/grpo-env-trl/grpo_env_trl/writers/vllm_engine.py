"""The vLLM that TRL runs in the process of the trainer (`vllm_mode="colocate"`), as an engine."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_trl import trl_vllm
from grpo_env_trl.writers.engine import Answer
from grpo_env_trl.writers.writer import Ask


@contextmanager
def vllm_of(trainer: Any) -> Iterator["VllmEngine"]:
    """The trainer's vLLM with the weights of this step; where it sleeps between batches, it is awake meanwhile."""
    with trl_vllm.awake(trainer) as llm_engine:
        yield VllmEngine(llm_engine, trl_vllm.sampling_of(trainer))


class VllmEngine:
    """Requests that vLLM samples together; each has its own cap and seed."""

    def __init__(self, llm_engine: Any, sampling: Callable[[int, int], Any]) -> None:
        """`sampling(most, seed)` gives the parameters of a request."""
        self._engine = llm_engine
        self._sampling = sampling

    def add(self, key: str, ask: Ask) -> None:
        """Take a request."""
        self._engine.add_request(key, {"prompt_token_ids": ask.context}, self._sampling(ask.most, ask.seed))

    def step(self) -> list[Answer]:
        """Sample the next token of every request."""
        return [_answer(output) for output in self._engine.step() if output.finished]

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests, with their part of the cache."""
        self._engine.abort_request(list(keys))


def _answer(output: Any) -> Answer:
    sampled = output.outputs[0]
    ids = list(sampled.token_ids)
    logprobs = [found[token].logprob for token, found in zip(ids, sampled.logprobs, strict=True)]
    return Answer(output.request_id, ids, logprobs, output.num_cached_tokens)
