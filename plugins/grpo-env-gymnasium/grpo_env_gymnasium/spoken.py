"""Spaces and their values as text: the possible actions, an observation, and the schema of a tool."""

import json
from collections.abc import Sequence
from typing import Any

import numpy
from gymnasium import Space, spaces

MOST_NUMBERS = 400
"""A space with more numbers, such as an image, is not shown as text."""
_DIGITS = 4

Schema = dict[str, Any]


def tellable(space: Space[Any]) -> bool:
    """Whether the values of a space can be written as text."""
    match space:
        case spaces.Dict():
            return all(map(tellable, space.values()))
        case spaces.Tuple():
            return all(map(tellable, space))
        case spaces.Box() | spaces.MultiDiscrete() | spaces.MultiBinary():
            return int(numpy.prod(space.shape)) <= MOST_NUMBERS
    return isinstance(space, spaces.Discrete | spaces.Text)


def choices(space: Space[Any], names: Sequence[str] = ()) -> str:
    """The possible actions, as text for the prompt."""
    match space:
        case spaces.Discrete() if names:
            return "\n".join(f"{number}: {name}" for number, name in enumerate(names, int(space.start)))
        case spaces.Discrete():
            return f"a whole number from {space.start} to {space.start + space.n - 1}"
        case spaces.Text():
            return f"a text of {space.min_length} to {space.max_length} of the characters {_letters(space)}"
        case spaces.MultiDiscrete():
            whole = ", ".join(f"{low} to {low + n - 1}" for low, n in _flat(space.start, space.nvec))
            return f"a list of whole numbers: {whole}"
        case spaces.MultiBinary():
            return f"a list of {' times '.join(map(str, space.shape))} numbers, each 0 or 1"
        case spaces.Box():
            ends = [f"{number(low)} to {number(high)}" for low, high in _flat(space.low, space.high)]
            told = ends[0] if len(set(ends)) == 1 else ", ".join(ends)
            return f"a number from {told}" if len(ends) == 1 else f"a list of {len(ends)} numbers: {told}"
        case spaces.Tuple():
            return "a list of: " + "; ".join(map(choices, space))
        case spaces.Dict():
            return "an object with " + "; ".join(f"{name!r}: {choices(part)}" for name, part in space.items())
    raise TypeError(f"{space} cannot be described in words")


def told(value: Any, space: Space[Any], names: Sequence[str] = ()) -> str:
    """An observation as text, with a name before each number if all have names."""
    if isinstance(space, spaces.Text):
        return str(value)
    if isinstance(space, spaces.Dict):
        return "\n".join(f"{name}: {told(value[name], part)}" for name, part in space.items())
    plain = plain_of(value, space)
    if isinstance(plain, list) and len(plain) == len(names):
        return "\n".join(f"{name}: {number(item)}" for name, item in zip(names, plain, strict=True))
    return json.dumps(plain, ensure_ascii=False)


def plain_of(value: Any, space: Space[Any], names: Sequence[str] = ()) -> Any:
    """A value of the space as plain JSON: its name if it has one, else numbers with four significant digits."""
    match space:
        case spaces.Discrete() if names:
            return names[int(value) - int(space.start)]
        case spaces.Dict():
            return {name: plain_of(value[name], part) for name, part in space.items()}
        case spaces.Tuple():
            return [plain_of(item, part) for item, part in zip(value, space, strict=True)]
        case spaces.Text():
            return str(value)
    return _rounded(numpy.asarray(value).tolist())


def schema_of(space: Space[Any], names: Sequence[str] = ()) -> Schema:
    """The JSON Schema of an action."""
    match space:
        case spaces.Discrete() if names:
            return {"type": "string", "enum": list(names)}
        case spaces.Discrete():
            return {"type": "integer", "minimum": int(space.start), "maximum": int(space.start + space.n - 1)}
        case spaces.Text():
            return {"type": "string", "minLength": space.min_length, "maxLength": space.max_length}
        case spaces.Dict():
            parts = {name: schema_of(part) for name, part in space.items()}
            return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
        case spaces.Tuple():
            items = [schema_of(part) for part in space]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        case spaces.MultiDiscrete():
            return _array_schema(space.start, space.start + space.nvec - 1, "integer")
        case spaces.MultiBinary():
            return _array_schema(numpy.zeros(space.shape), numpy.ones(space.shape), "integer")
        case spaces.Box():
            return _array_schema(space.low, space.high, "number")
    raise TypeError(f"{space} has no schema")


def number(value: Any) -> str:
    """A number with at most four significant digits."""
    return json.dumps(_rounded(value.item() if isinstance(value, numpy.generic) else value))


def _array_schema(low: Any, high: Any, kind: str) -> Schema:
    """A schema of nested arrays of numbers, each with its own bounds if they are finite."""
    if low.ndim == 0:
        ends = {"minimum": low.item(), "maximum": high.item()}
        return {"type": kind, **{name: end for name, end in ends.items() if numpy.isfinite(end)}}
    items = [_array_schema(numpy.asarray(a), numpy.asarray(b), kind) for a, b in zip(low, high, strict=True)]
    alike = {"items": items[0]} if all(item == items[0] for item in items) else {"prefixItems": items}
    return {"type": "array", **alike, "minItems": len(items), "maxItems": len(items)}


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, float):
        short = float(f"{value:.{_DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 10**6 else short
    return value


def _flat(low: Any, high: Any) -> list[tuple[Any, Any]]:
    return list(zip(numpy.ravel(low), numpy.ravel(high), strict=True))


def _letters(space: spaces.Text) -> str:
    return "".join(sorted(space.character_set))
