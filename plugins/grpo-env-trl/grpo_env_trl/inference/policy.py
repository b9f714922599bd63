"""A model in this process as a policy: it reads the same tokens as in training, and answers in batches."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from grpo_env_sdk import Turn
from grpo_env_sdk.ext import (
    LiveModel,
    NoRoomError,
    PolicyError,
    PolicySpec,
    Request,
    UnusablePolicyError,
    UsageError,
    canonical_json,
)
from grpo_env_trl.inference.batching import Batcher
from grpo_env_trl.inference.borrow_model import lent
from grpo_env_trl.inference.sampling import Answer, write_answers
from grpo_env_trl.inference.sampling_params import SamplingParams, params_of_model, params_of_training
from grpo_env_trl.models.loading import open_model
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.transcript import TokenTranscript


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
    ) -> None:
        """`usual` is how it samples unless a request says otherwise; the default is its generation config.

        With `notes` it says once of an environment that its prompts are read as they are.
        """
        self.name = name or getattr(model, "name_or_path", "") or type(model).__name__
        self.model = model
        self.tokenizer = tokenizer
        self.usual = usual or params_of_model(model.generation_config)
        self._reads = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._notes = notes
        self._noted: set[str] = set()
        self._renderers: dict[str, Renderer] = {}
        self._batcher = Batcher(self._write, batch_size)

    async def respond(self, request: Request) -> Turn:
        """The model's turn; `NoRoomError` where no further one fits."""
        params = self.usual.asked(request.sampling)
        transcript = self._transcript(request, params)
        if not transcript.read(request.messages, request.row.get("prompt")):
            raise self._no_room(transcript, request.turn)
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

    async def close(self) -> None:
        """Wait until the model is idle; abandoned answers end at their next token."""
        await self._batcher.close()

    def _write(self, answers: Sequence[Answer]) -> None:
        import torch

        try:
            write_answers(self.model, answers, repetition_penalty=self.usual.repetition_penalty)
        except torch.OutOfMemoryError as exc:
            raise UnusablePolicyError(
                f"The device has no memory for {len(answers)} answers of {self.name} at once.",
                "Use a smaller --concurrency.",
                "out_of_memory",
            ) from exc

    def _transcript(self, request: Request, params: SamplingParams) -> TokenTranscript:
        """The tokens of this episode, which are kept with it from turn to turn."""
        if "transcript" not in request.memory:
            renderer = self._renderer(request, params)
            request.memory["transcript"] = TokenTranscript(renderer, params.max_completion_length, self._reads)
            self._note_raw_prompts(request, renderer)
        return request.memory["transcript"]  # type: ignore[no-any-return]  # put there above

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
        key = canonical_json([list(request.tools), several_turns, runs_tools, params.chat_template_kwargs, raw])
        if key not in self._renderers:
            try:
                self._renderers[key] = Renderer(
                    self.tokenizer, request.tools, runs_tools=runs_tools, several_turns=several_turns,
                    eos_ids=_end_ids(self.model), template_kwargs=dict(params.chat_template_kwargs or {}),
                    raw_prompts=raw,
                )  # fmt: skip
            except UsageError as exc:  # as for every other episode
                raise UnusablePolicyError(exc.message, exc.hint, "chat_template") from exc
        return self._renderers[key]

    def _no_room(self, transcript: TokenTranscript, turn: int) -> PolicyError:
        if turn:
            return NoRoomError("No further turn fits.")
        return PolicyError(
            f"The prompt has {len(transcript.prompt_ids)} tokens, and {self.name} reads {self._reads}.",
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
        opened.model, opened.tokenizer, name=spec.model, usual=usual, batch_size=spec.concurrency
    )
    _open[key] = policy
    return policy


_open: WeakValueDictionary[PolicySpec, TransformersPolicy] = WeakValueDictionary()
"""Policies in use, so that several environments of one command share a model."""


def _end_ids(model: Any) -> list[int]:
    """Every token that ends a turn, as the model's generation config says."""
    found = model.generation_config.eos_token_id
    return found if isinstance(found, list) else [] if found is None else [found]
