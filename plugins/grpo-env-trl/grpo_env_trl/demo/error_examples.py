"""What a model is told when it calls a tool wrongly, so that the tokenizer has whole pieces for it."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.types import Message, ToolCall, ToolOutcome

_STAND_IN = "7"
"""Stands where an answer repeats what the model wrote; a number is a value, at which pieces end."""


def told_mistakes(loaded: LoadedEnv) -> list[list[Message]]:
    """Conversations of one message each: the answers to calls that name no tool, or have wrong arguments."""
    if loaded.traits.kind != "tools":
        return []
    box = toolbox_of(loaded.env)
    outcomes = [box.prepare(call) for call in _wrong_calls(loaded.tools)]
    return [[outcome.as_message()] for outcome in outcomes if isinstance(outcome, ToolOutcome)]


def _wrong_calls(tools: list[dict[str, Any]]) -> Iterator[ToolCall]:
    """No tool, an unknown one, no JSON; of each tool each argument left out, of another type, or not its own."""
    yield ToolCall("", "", _STAND_IN)
    yield ToolCall("", _STAND_IN, {})
    for tool in tools:
        name, parameters = tool["function"]["name"], tool["function"].get("parameters", {})
        yield ToolCall("", name, _STAND_IN)
        yield ToolCall("", name, {})
        yield ToolCall("", name, {_STAND_IN: 1})
        required = dict.fromkeys(parameters.get("required", ()), _STAND_IN)
        for argument, schema in parameters.get("properties", {}).items():
            yield ToolCall("", name, {key: value for key, value in required.items() if key != argument})
            wrong = int(_STAND_IN) if schema.get("type") == "string" else _STAND_IN
            yield ToolCall("", name, {**required, argument: wrong})
