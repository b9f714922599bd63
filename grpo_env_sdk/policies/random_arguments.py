"""Random values that fit a JSON Schema."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from grpo_env_sdk.tools.validation import validator_of

_DRAWS = 100
"""How often to draw again if a value breaks a keyword that is not handled here, such as `not`."""
_DEEP, _DEEPEST = 4, 40


def draw(schema: Mapping[str, Any], rng: random.Random, words: Sequence[str]) -> Any:
    """A random value that is valid by a JSON Schema, with texts from `words`."""
    drawing = _Drawing(schema, rng, words)
    validator = validator_of(schema)
    value = None
    for _ in range(_DRAWS):
        value = drawing.value(schema)
        if validator.is_valid(value):
            break
    return value


class _Drawing:
    """Draws values for one schema and its parts."""

    def __init__(self, root: Mapping[str, Any], rng: random.Random, words: Sequence[str]) -> None:
        self._root = root
        self._rng = rng
        self._words = words
        self._drawn: dict[str, Any] = {
            "object": self._object,
            "array": self._array,
            "number": self._number,
            "integer": self._integer,
            "string": self._text,
            "boolean": lambda schema, depth: rng.random() < 0.5,
            "null": lambda schema, depth: None,
        }

    def value(self, schema: Any, depth: int = 0) -> Any:
        """A value for a schema; for `true` and `false` any value."""
        schema = self._settled(schema if isinstance(schema, Mapping) else {}, depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._rng.choice(schema["enum"])
        if depth > _DEEPEST:
            return None
        kind = schema.get("type") or _implied_type(schema)
        kind = self._rng.choice(kind) if isinstance(kind, list) else kind
        return self._drawn.get(kind, self._text)(schema, depth)

    def _settled(self, schema: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
        """The schema with references followed and alternatives chosen, merged with the keywords beside them."""
        for _ in range(_DEEPEST):
            rest = dict(schema)
            if "$ref" in rest:
                parts = [self._target(str(rest.pop("$ref")))]
            elif rest.get("allOf"):
                parts = rest.pop("allOf")
            elif key := next((key for key in ("anyOf", "oneOf") if rest.get(key)), None):
                parts = [self._branch(rest.pop(key), depth)]
            else:
                break
            schema = _merged(rest, parts)
        return schema

    def _branch(self, branches: list[Any], depth: int) -> Any:
        """One of several alternatives; deep down the smallest, so that a recursive schema ends."""
        if depth > _DEEP:
            return min(branches, key=lambda branch: ("$ref" in str(branch), len(str(branch))))
        return self._rng.choice(branches)

    def _target(self, reference: str) -> Any:
        """The schema at `#/$defs/Room`."""
        node: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            node = node[int(name)] if isinstance(node, list) else node.get(name, {})
        return node

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required, properties = schema.get("required", ()), schema.get("properties", {})
        drawn = {}
        for name in properties:
            if name in required or (depth < _DEEP and self._rng.random() < 0.5):
                drawn[name] = self.value(properties[name], depth + 1)
        others = schema.get("additionalProperties", True)
        size = schema.get("minProperties", 0)
        if isinstance(others, Mapping) and depth < _DEEP:
            size = max(size, self._rng.randint(0, 2))
        for _ in range(size * _DRAWS):
            if others is False or len(drawn) >= min(size, schema.get("maxProperties", size)):
                break
            drawn.setdefault(self._rng.choice(self._words), self.value(others, depth + 1))
        return drawn

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        items, first = schema.get("items"), schema.get("prefixItems", ())
        shortest = schema.get("minItems", len(first))
        longest = len(first) if items is False else shortest + 3
        longest = max(shortest, min(longest, schema.get("maxItems", longest)))
        size = shortest if depth > _DEEP else self._rng.randint(shortest, longest)
        drawn = [self.value(each, depth + 1) for each in first[:size]]
        for _ in range(size * _DRAWS):
            if len(drawn) >= size:
                break
            item = self.value(items, depth + 1)
            if not schema.get("uniqueItems") or item not in drawn:
                drawn.append(item)
        return drawn

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        if step := schema.get("multipleOf"):
            first, last = _multiples(schema, step, 100)
            return float(self._rng.randint(first, last) * step)
        low, high = _bounds(schema, 100)
        drawn = self._rng.uniform(low, high)
        return round(drawn, 2) if low < round(drawn, 2) < high else drawn

    def _integer(self, schema: Mapping[str, Any], depth: int) -> int:
        step = schema.get("multipleOf", 1)
        first, last = _multiples(schema, step, 10)
        most = last * step if {"maximum", "exclusiveMaximum"} & schema.keys() else math.inf
        seen = [int(word) for word in self._words if re.fullmatch(r"\d{1,6}", word)]
        fitting = [number for number in seen if first * step <= number <= most and number % step == 0]
        if fitting and self._rng.random() < 0.5:
            return self._rng.choice(fitting)
        return int(self._rng.randint(first, last) * step)

    def _text(self, schema: Mapping[str, Any], depth: int) -> str:
        pattern = schema.get("pattern", "")
        fitting = [word for word in self._words if re.search(pattern, word)] if pattern else self._words
        text = self._rng.choice(fitting or self._words).ljust(schema.get("minLength", 0), "x")
        return text[: schema.get("maxLength", len(text))]


def _implied_type(schema: Mapping[str, Any]) -> str:
    """The type that a schema without `type` implies by its other keywords."""
    for kind, keywords in {
        "object": ("properties", "required", "additionalProperties", "minProperties"),
        "array": ("items", "prefixItems", "minItems", "uniqueItems"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }.items():
        if any(keyword in schema for keyword in keywords):
            return kind
    return "string"


def _merged(schema: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
    """A schema merged with others that must hold too."""
    for part in parts:
        part = part if isinstance(part, Mapping) else {}
        joined: dict[str, Any] = {"properties": {**schema.get("properties", {}), **part.get("properties", {})}}
        joined["required"] = [*schema.get("required", ()), *part.get("required", ())]
        schema = {**schema, **part, **{key: value for key, value in joined.items() if value}}
    return schema


def _bounds(schema: Mapping[str, Any], span: float) -> tuple[float, float]:
    """The smallest and the largest number; a missing one is `span` from the other."""
    low = max((schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema), default=None)
    high = min((schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema), default=None)
    if low is None:
        low = 0 if high is None or high >= 0 else high - span
    return low, max(low, low + span if high is None else high)


def _multiples(schema: Mapping[str, Any], step: float, span: float) -> tuple[int, int]:
    """The smallest and the largest multiple of `step` within the bounds, as factors."""
    low, high = _bounds(schema, span)
    first, last = math.ceil(low / step), math.floor(high / step)
    first += first * step == schema.get("exclusiveMinimum")
    last -= last * step == schema.get("exclusiveMaximum")
    return first, max(first, last)
