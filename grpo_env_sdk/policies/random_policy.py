"""A policy that does what an untrained model might: valid calls drawn from the schemas, words from the prompt."""

import random
import re
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.messages import assistant_message, full_text
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Turn

_CALLS = 0.7
"""How often it calls a tool, where there are any."""


class RandomPolicy:
    """Calls random tools with arguments that fit their schemas, or answers words that it was told."""

    name = "random"

    async def respond(self, request: Request) -> Turn:
        """A random message, equal for an equal seed."""
        rng = random.Random(request.seed)
        words = _words(request)
        if request.tools and rng.random() < _CALLS:
            function = rng.choice(list(request.tools))["function"]
            arguments = draw(function.get("parameters", {}), rng, words)
            call = {"function": {"name": function["name"], "arguments": arguments}}
            return Turn(assistant_message({"tool_calls": [call]}, request.turn), "tool_calls")
        text = " ".join(rng.choice(words) for _ in range(rng.randint(1, 8)))
        return Turn({"role": "assistant", "content": text})


def draw(schema: Mapping[str, Any], rng: random.Random, words: list[str], root: Any = None, depth: int = 0) -> Any:
    """A value that fits a JSON Schema, with texts taken from `words`."""
    root = schema if root is None else root
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return draw(root.get("$defs", {}).get(name, {}), rng, words, root, depth + 1)
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return draw(rng.choice(schema[key]), rng, words, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return rng.choice(schema["enum"])
    kind = schema.get("type", "string")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    return _DRAWN.get(kind, _text)(schema, rng, words, root, depth)


def _object(schema: Any, rng: random.Random, words: list[str], root: Any, depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    wanted = [name for name in properties if name in required or (depth < 4 and rng.random() < 0.5)]
    return {name: draw(properties[name], rng, words, root, depth + 1) for name in wanted}


def _array(schema: Any, rng: random.Random, words: list[str], root: Any, depth: int) -> list[Any]:
    shortest = schema.get("minItems", 0)
    longest = min(schema.get("maxItems", shortest + 3), shortest + 3)
    size = shortest if depth > 4 else rng.randint(shortest, max(shortest, longest))
    items = schema.get("items")
    return [draw(items if isinstance(items, Mapping) else {}, rng, words, root, depth + 1) for _ in range(size)]


def _number(schema: Any, rng: random.Random, words: list[str], root: Any, depth: int) -> float:
    low, high = _bounds(schema, 0, 100)
    return round(rng.uniform(low, high), 2)


def _integer(schema: Any, rng: random.Random, words: list[str], root: Any, depth: int) -> int:
    told = [int(word) for word in words if re.fullmatch(r"\d{1,6}", word)]
    low, high = _bounds(schema, 0, 10)
    fitting = [number for number in told if low <= number <= schema.get("maximum", number)]
    if fitting and rng.random() < 0.5:
        return rng.choice(fitting)
    return rng.randint(int(low), int(max(low, high)))


def _bounds(schema: Any, low: float, span: float) -> tuple[float, float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", low - 1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + span + 1) - 1)
    return low, max(low, high)


def _text(schema: Any, rng: random.Random, words: list[str], root: Any, depth: int) -> str:
    text = rng.choice(words)
    text = text.ljust(schema.get("minLength", 0), "x")
    return text[: schema.get("maxLength", len(text))]


_DRAWN: dict[str, Any] = {
    "object": _object,
    "array": _array,
    "number": _number,
    "integer": _integer,
    "string": _text,
    "boolean": lambda schema, rng, words, root, depth: rng.random() < 0.5,
    "null": lambda schema, rng, words, root, depth: None,
}


def _words(request: Request) -> list[str]:
    told = " ".join(
        content if isinstance(content := message.get("content"), str) else full_text([message])
        for message in request.messages
    )
    return sorted(set(re.findall(r"\w[\w.'-]*", told))) or ["yes"]
