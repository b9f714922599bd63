"""The assistant's turns of an answer or a transcript."""

from collections.abc import Iterable, Sequence
from typing import Any

from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.types import Message


def own_turns(transcript: Iterable[Message]) -> list[Message]:
    """The assistant's messages of a transcript."""
    return [message for message in transcript if message.get("role") == "assistant"]


def messages_before(transcript: Sequence[Message], turn: int) -> Sequence[Message]:
    """What a transcript has before a turn of the assistant; nothing where it has no such turn."""
    own = places_of_turns(transcript)
    return transcript[: own[turn]] if len(own) > turn else []


def functions_of(turns: Iterable[Message]) -> list[dict[str, Any]]:
    """The name and the arguments of each call in these turns."""
    return [call["function"] for turn in turns for call in turn.get("tool_calls") or ()]


def calls_in(turns: Iterable[Message]) -> int:
    """How many calls the assistant's turns have."""
    return sum(len(turn.get("tool_calls") or ()) for turn in turns)


def turns_of(completion: str | Sequence[str | Message]) -> list[str | Message]:
    """The turns of a completion: texts, and the assistant's messages."""
    if isinstance(completion, str):
        return [completion]
    return [turn for turn in completion if isinstance(turn, str) or turn.get("role", "assistant") == "assistant"]
