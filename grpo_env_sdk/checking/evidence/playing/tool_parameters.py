"""The parameters of a tool's schema, and random arguments for them."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.policies.random_arguments import draw


def properties_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of each parameter."""
    return (tool["function"].get("parameters") or {}).get("properties") or {}


def required_of(tool: Mapping[str, Any]) -> list[str]:
    """The parameters that a call has to give."""
    return list((tool["function"].get("parameters") or {}).get("required") or ())


def random_arguments(tool: Mapping[str, Any], rng: random.Random, texts: Sequence[str]) -> dict[str, Any]:
    """Arguments that fit the schema, with texts from a list."""
    arguments: dict[str, Any] = draw({"type": "object", **(tool["function"].get("parameters") or {})}, rng, texts)
    return arguments


def name_of(tool: Mapping[str, Any]) -> str:
    """The name of a tool, by its schema."""
    return str(tool["function"]["name"])


def description_of(tool: Mapping[str, Any]) -> str:
    """What the schema of a tool says of it."""
    return str(tool["function"].get("description") or "")


def tool_named(tools: Sequence[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """The schema of the tool of this name; None where there is none."""
    return next((tool for tool in tools if name_of(tool) == name), None)


def schema_of(tools: Sequence[dict[str, Any]], name: str, parameter: str) -> dict[str, Any]:
    """What the schema of a tool says of one parameter; empty where it does not have it."""
    tool = tool_named(tools, name)
    found: dict[str, Any] = properties_of(tool).get(parameter, {}) if tool else {}
    return found
