"""The tokens of one episode: exactly what the model was given and what it sampled, and which is which."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk import Message, Turn
from grpo_env_sdk.ext import NoRoomError, PolicyError
from grpo_env_trl.tokens.rendering import Renderer


@dataclass
class TokenTranscript:
    """Grows with an episode; nothing that the model wrote is ever tokenised again."""

    renderer: Renderer
    most: int | None = None
    """How many tokens a completion may have in all, turns and observations together."""
    context_length: int | None = None
    prompt_ids: list[int] = field(default_factory=list)
    completion_ids: list[int] = field(default_factory=list)
    sampled: list[int] = field(default_factory=list)
    """1 for each token of `completion_ids` that the model sampled, 0 for the others."""
    logprobs: list[float] | None = None
    _seen: int = 0

    @property
    def context(self) -> list[int]:
        """What the model reads before its next turn."""
        return self.prompt_ids + self.completion_ids

    @property
    def room(self) -> int:
        """How many tokens the next turn may have at most."""
        left = [limit - used for limit, used in self._limits() if limit is not None]
        return min(left, default=1 << 30)

    def read(self, messages: Sequence[Message], prompt: Any = None) -> bool:
        """Add the messages since the last turn; False, and nothing is added, if no turn would fit after them."""
        if not self._seen:
            self.prompt_ids = self.renderer.opening(messages, prompt)
            self._seen = len(messages)
            return self.room > 0
        answered, told = messages[self._seen], messages[self._seen + 1 :]
        ids = self.renderer.following(answered, told)
        if self.room <= len(ids):
            return False
        self._add(ids, [0.0] * len(ids), 0)
        self._seen = len(messages)
        return True

    def write(self, ids: Sequence[int], logprobs: Sequence[float] | None, most: int | None = None) -> Turn:
        """Add a turn that the model sampled, cut to the room that is left."""
        room = self.room if most is None else min(self.room, most)
        kept = list(ids[:room])
        self._add(kept, None if logprobs is None else list(logprobs[:room]), 1)
        ended = bool(kept) and kept[-1] in self.renderer.eos_ids
        return Turn(
            self.renderer.turn(kept),
            "stop" if ended else "length",
            prompt_tokens=len(self.prompt_ids) + len(self.completion_ids) - len(kept),
            completion_tokens=len(kept),
            token_ids=kept,
            logprobs=None if logprobs is None else list(logprobs[:room]),
        )

    def _add(self, ids: list[int], logprobs: list[float] | None, sampled: int) -> None:
        if sampled and not self.completion_ids:
            self.logprobs = None if logprobs is None else []
        if self.logprobs is not None and logprobs is not None:
            self.logprobs += logprobs
        self.completion_ids += ids
        self.sampled += [sampled] * len(ids)

    def _limits(self) -> list[tuple[int | None, int]]:
        completed = len(self.completion_ids)
        return [(self.most, completed), (self.context_length, len(self.prompt_ids) + completed)]


def no_room(who: str, tokens: int, reads: int | None, turn: int) -> PolicyError:
    """Why this model has no room for a turn, whose context has so many tokens."""
    if turn:
        return NoRoomError("No further turn fits.")
    return PolicyError(
        f"The prompt has {tokens} tokens, and {who} reads {reads}.",
        "Make it shorter, or use a model with a longer context.",
        "context_overflow",
    )
