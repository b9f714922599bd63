"""A model in this process that may see images, whoever samples its turns."""

from collections.abc import Callable, Sequence
from typing import Any

from grpo_env_sdk import Message, Turn
from grpo_env_sdk.ext import Request, UnusablePolicyError, UsageError
from grpo_env_trl.inference.local_policy import LocalPolicy, Sampler
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.tokens.tokenizers import is_processor, text_tokenizer
from grpo_env_trl.tokens.transcript import no_room
from grpo_env_trl.tokens.vision import conversation, model_inputs


class SeeingPolicy(LocalPolicy):
    """A policy whose turns see the images of a transcript, which is read as a whole again at each."""

    def __init__(
        self, sampler: Sampler, tokenizer: Any, *, name: str, usual: SamplingParams, ends: Sequence[int],
        reads: int | None, notes: bool = True, open_processor: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        """A vision model is given its processor as `tokenizer`, or a function that opens it once an image comes."""
        self.processor = tokenizer if is_processor(tokenizer) else None
        self._open_processor = open_processor
        super().__init__(
            sampler, text_tokenizer(tokenizer), name=name, usual=usual, ends=ends, reads=reads, notes=notes
        )

    async def _see(self, request: Request, params: SamplingParams) -> Turn:
        """The turn of a vision model, which reads the whole transcript again at each."""
        shown, context, room = self._read_images(request, params)
        if room <= 0:
            raise no_room(self.name, len(context), self.reads, request.turn)
        ends = frozenset({*self.ends, self.tokenizer.eos_token_id})
        answer = await self._written(request, params, context, room, ends, shown)
        request.memory["written"] += len(answer.ids)
        ended = bool(answer.ids) and answer.ids[-1] in ends
        text = self.tokenizer.decode(answer.ids[: len(answer.ids) - ended], skip_special_tokens=True)
        return Turn(
            {"role": "assistant", "content": text}, "stop" if ended else "length", len(context), len(answer.ids),
            list(answer.ids), list(answer.logprobs) if request.sampling.logprobs else None,
        )  # fmt: skip

    def _read_images(self, request: Request, params: SamplingParams) -> tuple[list[Message], list[int], int]:
        """The transcript with its images, its tokens, and how many more fit."""
        try:
            processor = self._seeing(request)
            shown = conversation(request.messages)
            kwargs = dict(params.chat_template_kwargs or {})
            context = model_inputs(processor, [shown], kwargs)["input_ids"][0].tolist()
        except UsageError as exc:  # as for every other episode
            raise UnusablePolicyError(exc.message, exc.hint, "images") from exc
        read = request.memory.get("tokens")  # of turns before the first image
        written = request.memory.setdefault("written", len(read.last.completion_ids) if read else 0)
        limits = [(self.reads, len(context)), (params.max_completion_length, written)]
        return shown, context, min((limit - used for limit, used in limits if limit is not None), default=1 << 30)

    def _seeing(self, request: Request) -> Any:
        """The processor of this model."""
        if self.processor is None:
            if self._open_processor is None:
                raise UsageError(f"{self.name} has a tokenizer alone, so it cannot see images.", "Give its processor.")
            self.processor = self._open_processor()
        if request.tools:
            raise UsageError(
                f"{self.name} calls no tools here while it sees images.", "Ask a server: --model openai:NAME."
            )
        return self.processor
