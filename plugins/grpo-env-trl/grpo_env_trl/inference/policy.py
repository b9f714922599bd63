"""A model in this process as a policy: it reads the same tokens as in training, and answers in batches."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from grpo_env_sdk import Message, Turn
from grpo_env_sdk.ext import (
    LiveModel,
    NoRoomError,
    PolicyError,
    PolicySpec,
    Request,
    UnusablePolicyError,
    UsageError,
    canonical_json,
    images_in,
)
from grpo_env_trl.inference.batching import Batcher
from grpo_env_trl.inference.borrow_model import lent
from grpo_env_trl.inference.sampling import Answer, write_answers
from grpo_env_trl.inference.sampling_params import SamplingParams, params_of_model, params_of_training
from grpo_env_trl.models.loading import is_processor, open_model, open_processor, text_tokenizer
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript
from grpo_env_trl.tokens.vision import conversation, model_inputs


class TransformersPolicy:
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
    ) -> None:
        """`usual` is how it samples unless a request says otherwise; the default is its generation config.

        With `notes` it says once of an environment that its prompts are read as they are. A vision model is given its
        processor as `tokenizer`, or a function that opens it once an image comes.
        """
        self.name = name or getattr(model, "name_or_path", "") or type(model).__name__
        self.model = model
        self.tokenizer = text_tokenizer(tokenizer)
        self._processor = tokenizer if is_processor(tokenizer) else None
        self._open_processor = open_processor
        self.usual = usual or params_of_model(model.generation_config)
        self._reads = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._notes = notes
        self._noted: set[str] = set()
        self._renderers: dict[str, Renderer] = {}
        self._batcher = Batcher(self._write, batch_size)

    async def respond(self, request: Request) -> Turn:
        """The model's turn; `NoRoomError` where no further one fits."""
        params = self.usual.asked(request.sampling)
        if images_in(request.messages):
            return await self._see(request, params)
        episode = self._tokens(request, params)
        fits = episode.read(request.messages, request.row.get("prompt"), request.whole)
        transcript = episode.last
        if not fits:
            raise self._no_room(len(transcript.prompt_ids), request.turn)
        room = transcript.room
        answer = Answer(
            transcript.context,
            min(params.max_turn_tokens or room, room),
            frozenset(transcript.renderer.eos_ids),
            request.seed,
            params.temperature,
            params.top_p,
            params.top_k,
        )
        await self._batcher.written(answer, request.off_the_clock)
        return transcript.write(answer.ids, answer.logprobs if request.sampling.logprobs else None)

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

    async def _see(self, request: Request, params: SamplingParams) -> Turn:
        """The turn of a vision model, which reads the whole transcript again at each."""
        shown, context, room = self._read_images(request, params)
        if room <= 0:
            raise self._no_room(len(context), request.turn)
        ends = frozenset({*_end_ids(self.model), self.tokenizer.eos_token_id})
        answer = Answer(
            context, min(params.max_turn_tokens or room, room), ends, request.seed, params.temperature, params.top_p,
            params.top_k, shown,
        )  # fmt: skip
        await self._batcher.written(answer, request.off_the_clock)
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
        limits = [(self._reads, len(context)), (params.max_completion_length, written)]
        return shown, context, min((limit - used for limit, used in limits if limit is not None), default=1 << 30)

    def _seeing(self, request: Request) -> Any:
        """The processor of this model."""
        if self._processor is None:
            if self._open_processor is None:
                raise UsageError(f"{self.name} has a tokenizer alone, so it cannot see images.", "Give its processor.")
            self._processor = self._open_processor()
        if request.tools:
            raise UsageError(
                f"{self.name} calls no tools here while it sees images.", "Ask a server: --model openai:NAME."
            )
        return self._processor

    async def close(self) -> None:
        """Wait until the model is idle; abandoned answers end at their next token."""
        await self._batcher.close()

    def _write(self, answers: Sequence[Answer]) -> None:
        import torch

        settings: dict[str, Any] = {"repetition_penalty": self.usual.repetition_penalty}
        seeing = [answer for answer in answers if answer.shown]
        reading = [answer for answer in answers if not answer.shown]
        try:
            if reading:
                write_answers(self.model, reading, **settings)
            if seeing:
                shown = [answer.shown or [] for answer in seeing]
                seen = model_inputs(self._processor, shown, dict(self.usual.chat_template_kwargs or {}))
                place = getattr(self.model.config, "image_token_id", None)  # sampled, it would need an image
                unsayable = None if place is None else [place]
                write_answers(self.model, seeing, seen=seen, suppress_tokens=unsayable, **settings)
        except torch.OutOfMemoryError as exc:
            raise UnusablePolicyError(
                f"The device has no memory for {len(answers)} answers of {self.name} at once.",
                "Use a smaller --concurrency.",
                "out_of_memory",
            ) from exc

    def _tokens(self, request: Request, params: SamplingParams) -> Segments:
        """The tokens of this episode, which are kept with it from turn to turn."""
        if "tokens" not in request.memory:
            renderer = self._renderer(request, params)
            begin = partial(TokenTranscript, renderer, params.max_completion_length, self._reads)
            request.memory["tokens"] = Segments(begin)
            self._note_raw_prompts(request, renderer)
        return request.memory["tokens"]  # type: ignore[no-any-return]  # put there above

    def _note_raw_prompts(self, request: Request, renderer: Renderer) -> None:
        """Say once of each environment that its prompts are rendered already."""
        name = request.env.spec.id if request.env is not None else ""
        if self._notes and name not in self._noted and renderer.raw_prompts.text(request.row.get("prompt")) is not None:
            self._noted.add(name)
            renderer.raw_prompts.say(f"{name}: prompts, such as that of row {request.row_index}, are")

    def _renderer(self, request: Request, params: SamplingParams) -> Renderer:
        """How an environment's messages become tokens, as in training; created once for all its episodes."""
        traits = request.env.traits if request.env is not None else None
        several_turns = traits.kind != "single-turn" if traits else bool(request.tools)
        runs_tools = traits.runs_tools != "none" if traits else bool(request.tools)
        raw = traits.raw_prompts if traits else None
        of_rows = traits is not None and traits.tools_of_rows
        tools = [] if of_rows else list(request.tools)
        key = canonical_json([tools, several_turns, runs_tools, params.chat_template_kwargs, raw, of_rows])
        if key not in self._renderers:
            try:
                self._renderers[key] = Renderer(
                    self.tokenizer, tools, runs_tools=runs_tools, several_turns=several_turns,
                    eos_ids=_end_ids(self.model), template_kwargs=dict(params.chat_template_kwargs or {}),
                    raw_prompts=raw, tools_to_come=of_rows,
                )  # fmt: skip
            except UsageError as exc:  # as for every other episode
                raise UnusablePolicyError(exc.message, exc.hint, "chat_template") from exc
        return self._renderers[key].with_tools(request.tools)

    def _no_room(self, tokens: int, turn: int) -> PolicyError:
        if turn:
            return NoRoomError("No further turn fits.")
        return PolicyError(
            f"The prompt has {tokens} tokens, and {self.name} reads {self._reads}.",
            "Make it shorter, or use a model with a longer context.",
            "context_overflow",
        )


def open_policy(spec: PolicySpec) -> TransformersPolicy:
    """The policy of a hub id, folder or run; a run's model answers with the caps and sampling of its training."""
    if spec.base_url is not None:
        raise UsageError(
            f"--base-url is for a model behind a server, and {spec.model!r} would be loaded here.",
            f"Write --model openai:{spec.model}.",
        )
    path = Path(spec.model)
    key = replace(spec, model=str(path.resolve())) if path.exists() else spec  # a relative path may mean another folder
    if key in _open:
        return _open[key]
    opened = open_model(spec.model)
    run = opened.source.run
    usual = params_of_training(run.manifest["training"]) if run else None
    policy = TransformersPolicy(
        opened.model, opened.tokenizer, name=spec.model, usual=usual, batch_size=spec.concurrency,
        open_processor=partial(open_processor, opened.source),
    )  # fmt: skip
    _open[key] = policy
    return policy


_open: WeakValueDictionary[PolicySpec, TransformersPolicy] = WeakValueDictionary()
"""Policies in use, so that several environments of one command share a model."""


def _end_ids(model: Any) -> list[int]:
    """Every token that ends a turn, as the model's generation config says."""
    found = model.generation_config.eos_token_id
    return found if isinstance(found, list) else [] if found is None else [found]
