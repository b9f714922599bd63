"""Converts an item to JSON text and back without loss: its metadata may have tuples, and numbers as keys."""

import json
from typing import Any

_TUPLE, _PAIRS = "(tuple)", "(dict)"
_PLAIN = (str, int, float, bool, type(None))


def packed(item: Any) -> str:
    """The item as JSON text; a `TypeError` names a type that cannot be converted."""
    return json.dumps(_as_json(item), ensure_ascii=False, separators=(",", ":"))


def unpacked(text: str) -> Any:
    """The item from the text that `packed` returned."""
    return _from_json(json.loads(text))


def _as_json(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    if type(value) is list:
        return [_as_json(part) for part in value]
    if type(value) is tuple:
        return {_TUPLE: [_as_json(part) for part in value]}
    if type(value) is dict:
        if all(type(key) is str and not key.startswith("(") for key in value):
            return {key: _as_json(part) for key, part in value.items()}
        return {_PAIRS: [[_as_json(key), _as_json(part)] for key, part in value.items()]}
    if type(value).__module__ == "numpy" and isinstance(value, str | float):
        return value.item()  # type: ignore[union-attr]  # numpy's text and float subclass Python's
    raise TypeError(f"{type(value).__module__}.{type(value).__qualname__}")


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    if _TUPLE in value:
        return tuple(_from_json(part) for part in value[_TUPLE])
    if _PAIRS in value:
        return {_from_json(key): _from_json(part) for key, part in value[_PAIRS]}
    return {key: _from_json(part) for key, part in value.items()}
