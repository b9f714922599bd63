"""A policy that replies with fixed completions, one for each episode."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.playing.turns import turns_of
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Message, Turn


class FixedReplies:
    """Sample i gives the i-th completion, turn by turn, and then empty messages."""

    name = "saying"

    def __init__(self, completions: Sequence[str | Sequence[str | Message]]) -> None:
        self._turns = [turns_of(completion) for completion in completions]

    async def respond(self, request: Request) -> Turn:
        """The next turn of this sample's completion."""
        turns = self._turns[request.sample]
        message = assistant_message(turns[request.turn] if request.turn < len(turns) else "", request.turn)
        return Turn(message, "tool_calls" if message.get("tool_calls") else "stop")
