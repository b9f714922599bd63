"""The model in training as a policy of the driver: it reads and writes exact tokens, and a writer samples them."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from grpo_env_sdk import GrpoEnvError, Turn
from grpo_env_sdk.ext import Job, PolicyError, Request, UnusablePolicyError, describe_error
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript, no_room
from grpo_env_trl.writers.writer import Ask, TurnSource


class TokenPolicy:
    """Keeps the tokens of every episode of a batch; deadlines do not run while a turn is sampled."""

    name = "the model in training"

    def __init__(
        self,
        writer: TurnSource,
        renderer: Renderer,
        jobs: Sequence[Job],
        most: int | None,
        context_length: int | None,
        max_turn_tokens: int | None,
        seed: str = "",
    ) -> None:
        """`seed` names the batch and the process: the same row has other seeds in another one."""
        self.episodes = [Segments(partial(TokenTranscript, renderer, most, context_length)) for _ in jobs]
        """The tokens of every episode, in the order of the jobs."""
        self._renderer, self._most, self._context_length = renderer, most, context_length
        self._writer = writer
        self._max_turn_tokens = max_turn_tokens
        self._seed = seed
        self._places = {(job.row_index, job.sample): place for place, job in enumerate(jobs)}

    async def respond(self, request: Request) -> Turn:
        """The model's next turn; `NoRoomError` where none fits."""
        place = self._places[request.row_index, request.sample]
        episode = self.episodes[place]
        if request.turn == 0:
            renderer = self._renderer.with_tools(request.tools)
            episode.begin = partial(TokenTranscript, renderer, self._most, self._context_length)
        with errors_end_the_run():
            fits = episode.read(request.messages, request.row.get("prompt"), request.whole)
        transcript = episode.last
        if not fits:
            raise no_room(self.name, len(transcript.prompt_ids), transcript.context_length, request.turn)
        with request.off_the_clock():
            written = await self._writer.write(Ask(place, transcript.context, transcript.room, self._seed_of(request)))
        _check_numbers(written.logprobs)
        with errors_end_the_run():
            turn = transcript.write(written.ids, written.logprobs, self._max_turn_tokens)
        return replace(turn, seconds=written.seconds)

    def _seed_of(self, request: Request) -> int:
        named = f"{self._seed}/{request.row_index}/{request.sample}/{request.turn}"
        return random.Random(named).getrandbits(31)


@contextmanager
def errors_end_the_run() -> Iterator[None]:
    """An error between messages and tokens is no episode's own: a training that went on would leave such turns out."""
    try:
        yield
    except GrpoEnvError as exc:
        raise UnusablePolicyError(exc.message, exc.hint, "chat_template") from exc
    except Exception as exc:
        raise UnusablePolicyError(f"A turn cannot be converted: {describe_error(exc)}.", kind="chat_template") from exc


def _check_numbers(logprobs: Sequence[float] | None) -> None:
    """Raise where nothing of a turn can be trained: TRL fails on a batch of such turns."""
    if logprobs and all(logprob != logprob for logprob in logprobs):
        raise PolicyError(
            "Every token of a turn has NaN in place of its log-probability: the model's weights are too large, or its "
            "dtype too small for them",
            "Go on from an earlier checkpoint with a lower --learning-rate, or take --dtype bfloat16 or float32, also "
            "for a server.",
            "no_numbers",
        )
