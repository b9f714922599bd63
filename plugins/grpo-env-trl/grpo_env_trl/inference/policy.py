"""A model in this process as a policy: it reads the same tokens as in training, and answers in batches."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from grpo_env_sdk.ext import LiveModel, UnusablePolicyError
from grpo_env_trl.inference.batching import Batcher, WriteAll
from grpo_env_trl.inference.borrow_model import lent
from grpo_env_trl.inference.local_policy import Sampler
from grpo_env_trl.inference.sampling import Answer, write_answers
from grpo_env_trl.inference.sampling_params import SamplingParams, params_of_model, params_of_training
from grpo_env_trl.inference.seeing_policy import SeeingPolicy
from grpo_env_trl.models.loading import open_model, open_processor
from grpo_env_trl.models.source import ModelSource
from grpo_env_trl.tokens.tokenizers import end_ids
from grpo_env_trl.tokens.vision import model_inputs


class TransformersPolicy(SeeingPolicy):
    """A loaded model, in eval mode, that answers all waiting requests in one call, each with its own seed.

    ```python
    evaluate("hotel-v1", TransformersPolicy(model, tokenizer), rows=20)
    ```
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str = "",
        usual: SamplingParams | None = None,
        batch_size: int = 64,
        notes: bool = True,
        open_processor: Callable[[], Any] | None = None,
        answered_by: Callable[[WriteAll], Sampler] | None = None,
        device: Any = None,
    ) -> None:
        """`usual` is how it samples unless a request says otherwise; the default is its generation config.

        With `notes` it says once of an environment that its prompts are read as they are. A vision model is given its
        processor as `tokenizer`, or a function that opens it once an image comes. `answered_by` has answers written in
        other batches than those of who waits here; `device` is where the model computes, if not where its weights are.
        """
        self.model = model
        self._batcher = Batcher(self._write, batch_size)
        self._device = device
        super().__init__(
            answered_by(self._write) if answered_by else self._batcher,
            tokenizer,
            name=name or getattr(model, "name_or_path", "") or type(model).__name__,
            usual=usual or params_of_model(model.generation_config),
            ends=end_ids(model.generation_config.eos_token_id),
            reads=getattr(model.config.get_text_config(), "max_position_embeddings", None),
            notes=notes,
            open_processor=open_processor,
        )

    @property
    def live_model(self) -> LiveModel:
        """The model for scorers, which take turns with its own answers."""
        import torch

        return LiveModel(self.model, self.tokenizer, torch.no_grad, self._lent)

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[None]:
        import torch

        async with self._batcher.alone():
            with lent(self.model):
                torch.manual_seed(0)  # the same draws whichever scorer comes first
                yield

    def _write(self, answers: Sequence[Answer]) -> None:
        import torch

        settings: dict[str, Any] = {"repetition_penalty": self.usual.repetition_penalty, "device": self._device}
        seeing = [answer for answer in answers if answer.shown]
        reading = [answer for answer in answers if not answer.shown]
        try:
            if reading:
                write_answers(self.model, reading, **settings)
            if seeing:
                shown = [answer.shown or [] for answer in seeing]
                seen = model_inputs(self.processor, shown, dict(self.usual.chat_template_kwargs or {}))
                place = getattr(self.model.config, "image_token_id", None)  # sampled, it would need an image
                write_answers(self.model, seeing, seen=seen, never=[] if place is None else [place], **settings)
        except torch.OutOfMemoryError as exc:
            raise UnusablePolicyError(
                f"The device has no memory for {len(answers)} answers of {self.name} at once.",
                "Use a smaller --concurrency.",
                "out_of_memory",
            ) from exc


def transformers_policy(source: ModelSource, concurrency: int) -> TransformersPolicy:
    """The policy of a hub id, folder or run, loaded by transformers."""
    opened = open_model(source)
    run = source.run
    usual = params_of_training(run.manifest["training"]) if run else None
    return TransformersPolicy(
        opened.model, opened.tokenizer, name=source.name, usual=usual, batch_size=concurrency,
        open_processor=partial(open_processor, source),
    )  # fmt: skip
