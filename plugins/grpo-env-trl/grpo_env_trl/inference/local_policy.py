"""A model in this process as a policy: its prompts and turns are the tokens of training, whoever samples them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from grpo_env_sdk import Message, Turn
from grpo_env_sdk.ext import (
    Request,
    UnusablePolicyError,
    UsageError,
    canonical_json,
    images_in,
)
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript, no_room


class Sampler(Protocol):
    """Fills in the tokens of answers."""

    async def written(self, answer: Answer, off_the_clock: Callable[[], AbstractContextManager[None]]) -> None:
        """Wait for this answer; cancelling stops its sampling. What is waited for others is off the clock."""

    async def close(self) -> None:
        """Let go of what is open."""


class LocalPolicy:
    """Keeps the tokens of every episode, and asks a sampler for the next turn of each."""

    def __init__(
        self,
        sampler: Sampler,
        tokenizer: Any,
        *,
        name: str,
        usual: SamplingParams,
        ends: Sequence[int],
        reads: int | None,
        notes: bool = True,
    ) -> None:
        """`ends` are the tokens that end a turn, and `reads` is the model's longest context."""
        self.name = name
        self.tokenizer = tokenizer
        self.usual = usual
        self.ends = list(ends)
        self.reads = reads
        self._sampler = sampler
        self._notes = notes
        self._noted: set[str] = set()
        self._renderers: dict[str, Renderer] = {}

    async def respond(self, request: Request) -> Turn:
        """The model's turn; `NoRoomError` where no further one fits."""
        params = self.usual.asked(request.sampling)
        if images_in(request.messages):
            return await self._see(request, params)
        episode = self._tokens(request, params)
        fits = episode.read(request.messages, request.row.get("prompt"), request.whole)
        transcript = episode.last
        if not fits:
            raise no_room(self.name, len(transcript.prompt_ids), self.reads, request.turn)
        ends = frozenset(transcript.renderer.eos_ids)
        answer = await self._written(request, params, transcript.context, transcript.room, ends)
        return transcript.write(answer.ids, answer.logprobs if request.sampling.logprobs else None)

    async def close(self) -> None:
        """Wait until the model is idle."""
        await self._sampler.close()

    async def _written(
        self, request: Request, params: SamplingParams, context: list[int], room: int, ends: frozenset[int],
        shown: list[Message] | None = None,
    ) -> Answer:  # fmt: skip
        most = min(params.max_turn_tokens or room, room)
        answer = Answer(
            context, most, ends, request.seed, params.temperature, params.top_p, params.top_k, params.min_p, shown
        )
        await self._sampler.written(answer, request.off_the_clock)
        return answer

    async def _see(self, request: Request, params: SamplingParams) -> Turn:
        """The turn of a model that sees images."""
        raise UnusablePolicyError(
            f"{self.name} reads no images here.",
            "Load it with transformers (--model without a prefix), or ask a server: --model openai:NAME.",
            "images",
        )

    def _tokens(self, request: Request, params: SamplingParams) -> Segments:
        """The tokens of this episode, which are kept with it from turn to turn."""
        if "tokens" not in request.memory:
            renderer = self._renderer(request, params)
            begin = partial(TokenTranscript, renderer, params.max_completion_length, self.reads)
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
                    eos_ids=self.ends, template_kwargs=dict(params.chat_template_kwargs or {}),
                    raw_prompts=raw, tools_to_come=of_rows,
                )  # fmt: skip
            except UsageError as exc:  # as for every other episode
                raise UnusablePolicyError(exc.message, exc.hint, "chat_template") from exc
        return self._renderers[key].with_tools(request.tools)
