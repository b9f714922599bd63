"""The segments of one episode: stretches in which each turn reads what the turn before read, and what followed it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from grpo_env_sdk import Message
from grpo_env_sdk.ext import Request
from grpo_env_trl.tokens.transcript import TokenTranscript


@dataclass
class Segments:
    """The tokens of an episode; one segment, unless the environment's `view` shows something else at a later turn."""

    begin: Callable[[], TokenTranscript]
    all: list[TokenTranscript] = field(default_factory=list)
    _read: list[Message] = field(default_factory=list)

    @property
    def last(self) -> TokenTranscript:
        """The segment of the latest turn."""
        return self.all[-1]

    @property
    def sampled(self) -> int:
        """How many tokens the model has sampled in all."""
        return sum(sum(segment.sampled) for segment in self.all)

    def read(self, request: Request) -> bool:
        """Add what the model reads now; False, and nothing is added, if no turn would fit after it."""
        begins = not self.all or not self._goes_on(request)
        segment = self.begin() if begins else self.last
        fits = segment.read(request.messages, request.row.get("prompt"))
        if begins and (fits or not self.all):
            self.all.append(segment)
        self._read = request.messages
        return fits

    def _goes_on(self, request: Request) -> bool:
        """Whether these messages are those of the last turn, its answer, and what the environment said since."""
        if request.whole is None:
            return True
        place = len(self._read)
        answer = next(message for message in reversed(request.whole) if message["role"] == "assistant")
        return (
            request.messages[:place] == self._read
            and request.messages[place : place + 1] == [answer]
            and all(message["role"] != "assistant" for message in request.messages[place + 1 :])
        )
