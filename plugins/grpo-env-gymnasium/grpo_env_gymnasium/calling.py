"""The tool with which a model takes an action."""

from collections.abc import Sequence
from typing import Any

from gymnasium import Space

from grpo_env_gymnasium.actions import NotAnActionError
from grpo_env_gymnasium.spoken import schema_of
from grpo_env_sdk import Message, Toolbox
from grpo_env_sdk.ext import ToolOutcome, tool_calls_of

TOOL = "act"


def tool_of(space: Space[Any], names: Sequence[str], id: str) -> dict[str, Any]:
    """The schema of the tool that takes one action of a space."""
    parameters = {"type": "object", "properties": {"action": schema_of(space, names)}, "required": ["action"]}
    function = {"name": TOOL, "description": f"Take one action in {id}.", "parameters": parameters}
    return {"type": "function", "function": function}


def called_with(message: Message, tool: dict[str, Any]) -> Any:
    """The action in a message's only call; a `NotAnActionError` says what is wrong with it."""
    calls = tool_calls_of(message)
    if len(calls) != 1:
        raise NotAnActionError(f"That is {len(calls)} calls.")
    ready = Toolbox([tool], fallback=lambda name, arguments: arguments).prepare(calls[0])
    if isinstance(ready, ToolOutcome):
        raise NotAnActionError(ready.content)
    return ready.arguments["action"]
