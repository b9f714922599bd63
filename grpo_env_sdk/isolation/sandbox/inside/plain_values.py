"""Python's plain values as JSON and back: exact types only, so that no value brings code with it."""

import math
from collections.abc import Callable
from typing import Any

_PLAIN: tuple[Callable[[Any], Any], ...] = (str, int, float, list, dict, tuple, set, frozenset, bytes, complex)


def encode(value: Any, other: Callable[[Any], Any]) -> Any:
    """The value as JSON, a subclass as its plain type; `other` gives what represents anything else."""
    if value is None or isinstance(value, bool):
        return value
    plain = next((plain for plain in _PLAIN if isinstance(value, plain)), None)  # type: ignore[arg-type]  # all are types
    if plain is None:
        return {"object": other(value)}
    value = plain(value)
    if plain is list:
        return [encode(item, other) for item in value]
    if plain is dict:
        return {"dict": [[encode(key, other), encode(item, other)] for key, item in value.items()]}
    if plain in (tuple, set, frozenset):
        return {type(value).__name__: [encode(item, other) for item in value]}
    if plain is bytes:
        return {"bytes": value.hex()}
    if plain is complex:
        return {"complex": [value.real, value.imag]}
    if plain is int and abs(value) >= 2**53:
        return {"int": hex(value)}
    return {"float": repr(value)} if plain is float and not math.isfinite(value) else value


def decode(value: Any, other: Callable[[Any], Any]) -> Any:
    """The value that was encoded; `other` takes what represents anything that is not plain."""

    def read(node: Any) -> Any:
        if isinstance(node, list):
            return [read(item) for item in node]
        return readers[next(iter(node))](*node.values()) if isinstance(node, dict) else node

    readers: dict[str, Callable[[Any], Any]] = {
        "object": other,
        "dict": lambda items: {read(key): read(item) for key, item in items},
        "tuple": lambda items: tuple(read(items)),
        "set": lambda items: set(read(items)),
        "frozenset": lambda items: frozenset(read(items)),
        "bytes": bytes.fromhex,
        "complex": lambda parts: complex(*parts),
        "int": lambda digits: int(digits, 16),
        "float": float,
    }
    return read(value)
