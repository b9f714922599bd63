"""What the policy of an episode reads: copies, so that it can change neither the record nor the score."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.rollout.commands import Generate
from grpo_env_sdk.types import Message, Row


class PolicyReading:
    """Copies of the row, the tools and the transcript of one episode; each message is copied once, as it comes."""

    def __init__(self, row: Row) -> None:
        self._given_row = row
        self._row: Row | None = None
        self._tools: Sequence[dict[str, Any]] | None = None
        self._transcript: list[Message] = []

    @property
    def row(self) -> Row:
        """The row."""
        if self._row is None:
            self._row = own_copy(self._given_row)
        return self._row

    def tools(self, command: Generate) -> Sequence[dict[str, Any]]:
        """The schemas, the same list in every turn."""
        if self._tools is None:
            self._tools = own_copy(command.tools)
        return self._tools

    def messages(self, command: Generate) -> tuple[list[Message], list[Message] | None]:
        """What the model reads at this turn; and the whole transcript, where that is a view of it."""
        if command.transcript is None:
            return self._whole(command.messages), None
        return own_copy(command.messages), self._whole(command.transcript)

    def _whole(self, transcript: list[Message]) -> list[Message]:
        self._transcript += own_copy(transcript[len(self._transcript) :])
        return [message.copy() for message in self._transcript]
