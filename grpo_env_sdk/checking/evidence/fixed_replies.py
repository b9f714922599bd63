"""A policy that says what it is given: one completion an episode."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Message, Turn


class FixedReplies:
    """Sample i says the i-th completion, turn by turn, and then nothing more."""

    name = "saying"

    def __init__(self, completions: Sequence[str | Sequence[str | Message]]) -> None:
        self._turns = [_turns(completion) for completion in completions]

    async def respond(self, request: Request) -> Turn:
        """The next turn of this sample's completion."""
        turns = self._turns[request.sample]
        message = assistant_message(turns[request.turn] if request.turn < len(turns) else "", request.turn)
        return Turn(message, "tool_calls" if message.get("tool_calls") else "stop")


def _turns(completion: Any) -> list[Any]:
    """The assistant's turns; what others said in a transcript is said by them again."""
    if isinstance(completion, str):
        return [completion]
    return [turn for turn in completion if isinstance(turn, str) or turn.get("role", "assistant") == "assistant"]
