"""transformers' continuous batching as an engine: it samples with the trainer's own weights, in a thread of its own."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_trl import trl_batching
from grpo_env_trl.seeded_batching import request_id
from grpo_env_trl.writers.engine import Completed
from grpo_env_trl.writers.writer import Ask

_WAITS = 0.002
"""Seconds after which turns that were asked for meanwhile are handed over."""


@contextmanager
def batching_of(trainer: Any) -> Iterator["TransformersEngine"]:
    """The trainer's model with continuous batching, for one batch."""
    with trl_batching.running(trainer) as manager:
        yield TransformersEngine(manager)


class TransformersEngine:
    """Requests that transformers samples together; each has its own cap and seed."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._open: dict[str, str] = {}
        """The keys of open requests, by their ids."""

    def add(self, key: str, ask: Ask) -> None:
        """Take a request."""
        request = request_id(key, ask.seed)
        self._open[request] = key
        self._manager.add_request(ask.context, request_id=request, max_new_tokens=ask.most)

    def step(self) -> list[Completed]:
        """What is done after a moment: the manager's own thread goes from step to step."""
        outputs = [self._manager.get_result(timeout=_WAITS)]
        while outputs[-1] is not None:
            outputs.append(self._manager.get_result(timeout=0))
        answers = [self._answer(output) for output in outputs if output is not None and output.request_id in self._open]
        if not answers and not self._manager.is_running():
            raise trl_batching.failed("it ended by itself")
        return answers

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests; one that is done meanwhile is not delivered."""
        dropped = {*keys}
        for request in [request for request, key in self._open.items() if key in dropped]:
            del self._open[request]
            self._manager.cancel_request(request)

    def _answer(self, output: Any) -> Completed:
        if output.error is not None:
            raise trl_batching.failed(" ".join(output.error.split()))
        return Completed(self._open.pop(output.request_id), list(output.generated_tokens), list(output.logprobs))
