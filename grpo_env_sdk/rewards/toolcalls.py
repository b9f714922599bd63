"""A ready reward for tool calls: how many of them were well formed."""

from typing import Any

from grpo_env_sdk.rewards.reward import Reward

_MODELS_FAULT = ("unknown_tool", "malformed_call", "invalid_arguments")


def valid_tool_calls(*, weight: float = 1.0, name: str = "valid_tool_calls") -> Reward:
    """The share of the calls whose name and arguments were right; abstains where nothing was called."""

    def score(tool_calls: list[dict[str, Any]]) -> float | None:
        if not tool_calls:
            return None
        return 1 - sum(call["error"] in _MODELS_FAULT for call in tool_calls) / len(tool_calls)

    return Reward(score, name, weight)
