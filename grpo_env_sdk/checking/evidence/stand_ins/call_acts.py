"""The calls that a search tries: every value that a schema lists, and the values that the episode shows."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product
from typing import Any

from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.phrases import NUMBERS
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message, Schemas

MOST_CALLS, MOST_VALUES = 300, 24


def listed_calls(tools: Schemas) -> list[Message]:
    """The calls of the tools whose parameters all list their values."""
    found: list[Message] = []
    for tool in tools:
        values = _values(tool, ())
        if all(listed for listed, _ in values.values()):
            found += _calls(tool, values)
    return found


def shown_calls(tools: Schemas, phrases: Sequence[str]) -> list[Message]:
    """The calls of the other tools, with values that the episode shows."""
    found: list[Message] = []
    for tool in tools:
        values = _values(tool, phrases)
        if not all(listed for listed, _ in values.values()):
            found += _calls(tool, values)
    return found


def nonsense_calls(tools: Schemas) -> dict[str, Message]:
    """By tool, a call with values that no environment knows; only of tools that do not list all values."""
    found = {}
    for tool in tools:
        values = _values(tool, ())
        if not all(listed for listed, _ in values.values()):
            odd = {name: known[0] if listed else _odd(tool, name) for name, (listed, known) in values.items()}
            found[name_of(tool)] = call_message(name_of(tool), **odd)
    return found


def _odd(tool: Mapping[str, Any], name: str) -> Any:
    return 987654 if properties_of(tool)[name].get("type") in ("integer", "number") else "lorem"


def _values(tool: Mapping[str, Any], phrases: Sequence[str]) -> dict[str, tuple[bool, list[Any]]]:
    """For each required parameter, whether its values are listed, and those to try."""
    return {name: _of_schema(properties_of(tool).get(name, {}), phrases) for name in required_of(tool)}


def _of_schema(schema: Mapping[str, Any], phrases: Sequence[str]) -> tuple[bool, list[Any]]:
    kind = schema.get("type")
    if isinstance(schema.get("enum"), list):
        return True, list(schema["enum"])
    if kind == "boolean":
        return True, [True, False]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        if kind == "integer" and isinstance(low, int) and isinstance(high, int) and high - low < MOST_VALUES:
            return True, list(range(low, high + 1))
        return False, list(NUMBERS)
    return False, list(phrases)


def _calls(tool: Mapping[str, Any], values: Mapping[str, tuple[bool, Iterable[Any]]]) -> list[Message]:
    together = product(*(tried for _, tried in values.values()))
    return [
        call_message(name_of(tool), **dict(zip(values, chosen, strict=True))) for chosen in islice(together, MOST_CALLS)
    ]
