"""The segments of an episode: stretches of turns that each read what the turn before read, and what followed it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_env_sdk import Episode, Message
from grpo_env_sdk.ext import messages_read
from grpo_env_trl.tokens.transcript import TokenTranscript


@dataclass
class Segments:
    """The tokens of an episode: one segment, unless the environment's `view` shows other messages at a later turn."""

    begin: Callable[[], TokenTranscript]
    all: list[TokenTranscript] = field(default_factory=list)
    _read: Sequence[Message] = ()

    @property
    def last(self) -> TokenTranscript:
        """The segment of the latest turn."""
        return self.all[-1]

    def read(self, messages: Sequence[Message], prompt: Any = None, whole: Sequence[Message] | None = None) -> bool:
        """Add what the model reads now; False, and nothing is added, if no turn would fit after it.

        `whole` is the transcript, where the messages are a view of it.
        """
        begins = not self.all or (whole is not None and not _goes_on(self._read, messages, whole))
        segment = self.begin() if begins else self.last
        fits = segment.read(messages, prompt)
        if begins and (fits or not self.all):
            self.all.append(segment)
        self._read = messages
        return fits


@dataclass(frozen=True)
class Stretch:
    """A segment as messages, and how many of its assistant's messages come before its own turns."""

    messages: list[Message]
    earlier: int = 0


def stretches_of(episode: Episode) -> list[Stretch]:
    """The segments of a record as messages, each turn of the episode written in one of them."""
    messages = episode.messages
    if episode.views is None:
        return [Stretch(messages)]
    said = [place for place in range(episode.opening, len(messages)) if messages[place]["role"] == "assistant"]
    found: list[Stretch] = []
    before: list[Message] | None = None
    for read, place in zip(messages_read(episode), said, strict=False):
        written = [*read, messages[place]]
        if before is not None and _goes_on(before, read, messages[:place]):
            found[-1] = replace(found[-1], messages=written)
        else:
            found.append(Stretch(written, sum(message["role"] == "assistant" for message in read)))
        before = read
    return found


def _goes_on(before: Sequence[Message], now: Sequence[Message], whole: Sequence[Message]) -> bool:
    """Whether what is read now is what was read before, the answer to it, and what the environment said since."""
    place = len(before)
    answer = next(message for message in reversed(whole) if message["role"] == "assistant")
    return (
        list(now[:place]) == list(before)
        and list(now[place : place + 1]) == [answer]
        and all(message["role"] != "assistant" for message in now[place + 1 :])
    )
