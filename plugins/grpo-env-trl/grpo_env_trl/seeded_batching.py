"""A seed for each request of transformers' continuous batching, which has one for all of them.

A token is drawn as `torch.multinomial` draws it, by noise over the vocabulary. The noise follows from the request's
seed and the token's place alone, and not from which other requests run in the same step.
"""

import random
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any


def request_id(key: str, seed: int) -> str:
    """The id of a request: it has the seed in it."""
    return f"{key}/{seed}"


def draw_by_seed(manager: Any) -> None:
    """Let a manager draw each token by the seed of its request; before it warms up, which captures CUDA graphs."""
    manager.batch_processor = manager._create_batch_processor()
    runner = manager.batch_processor.model_runner
    if runner.do_sample:
        draws = _SeededDraws(runner, manager.model)
        runner.compute_batch, runner._sample = draws.compute_batch, draws.sample


class _SeededDraws:
    """Fills the noise before each step, outside of CUDA graphs, which read it where it lies."""

    def __init__(self, runner: Any, model: Any) -> None:
        import torch

        self._runner, self._compute_batch = runner, runner.compute_batch
        size = (runner.cb_config.max_requests_per_batch, model.config.get_text_config().vocab_size)
        self._noise = torch.ones(size, device=model.device)
        self._generator = torch.Generator(model.device)

    def compute_batch(self, model: Any, batch_data: dict[str, Any]) -> None:
        import torch

        stream = self._runner.inputs_and_outputs.compute_stream
        with torch.get_device_module(self._noise.device).stream(stream) if stream else nullcontext():
            for noise, seed in zip(self._noise, self._seeds(), strict=False):
                noise.exponential_(generator=self._generator.manual_seed(seed))
        self._compute_batch(model, batch_data)

    def sample(self, scores: Any, output_ids: Any) -> None:
        """Write the tokens and, as whole numbers of the same bits, their log-probabilities, as the runner does."""
        import torch

        probabilities = scores[0].softmax(dim=-1)
        ids = (probabilities / self._noise[: len(probabilities)]).argmax(dim=-1)
        output_ids[0, : len(ids)].copy_(ids)
        logprobs = probabilities.gather(1, ids[:, None])[:, 0].log()
        output_ids[1, : len(ids)].copy_(logprobs.view(torch.int32))

    def _seeds(self) -> Iterator[int]:
        """A seed for each token of this step, in the order of the rows."""
        io = self._runner.inputs_and_outputs
        if hasattr(io, "io_pairs"):  # two steps are prepared in turns
            io = io.io_pairs[io.current_pair].host_io
        for request in io.requests_in_batch:
            if request.has_new_token:
                seed = request.state.request_id.partition("/")[2]
                named = f"{self._runner.cb_config.seed}/{seed}/{request.state.position_offset}"
                yield random.Random(named).getrandbits(63)
