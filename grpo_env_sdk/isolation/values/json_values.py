"""Other people's values as plain JSON, and as short text for messages."""

import json
import math
import reprlib
from collections.abc import Mapping
from typing import Any

PathFault = tuple[str, str]
"""A JSON path, and what is wrong there."""

OBJECT = (dict, Mapping)
"""What JSON writes as an object; `dict` first, as it takes long to find out whether another class is a Mapping."""
MAX_DEPTH = 64
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 4, 80, 80


def plain_copy(value: Any) -> tuple[Any, list[PathFault]]:
    """A copy as plain JSON, with None for every value that JSON has no type for, and the list of those."""
    try:
        return _copied_quickly(value, MAX_DEPTH), []
    except _OddValueError:
        faults: list[PathFault] = []
        return _copied(value, "$", (), faults), faults


def short_repr(value: Any) -> str:
    """A short `repr` for messages, however large or deep the value is, even if its own `repr` raises."""
    try:
        text = _SHORT.repr(value)
    except BaseException:  # `repr` of the author's class, or of a number with too many digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 120 else text[:117] + "..."


def valid_json(data: Any) -> str:
    """Data as JSON that every reader takes: NaN and Infinity become text, and other objects their `repr`."""
    text = _write(data)
    if "NaN" in text or "Infinity" in text:
        text = _write(json.loads(text, parse_constant=str))
    return text


_write = json.JSONEncoder(ensure_ascii=False, default=repr).encode


class _OddValueError(Exception):
    """A value that needs a closer look."""


def _copied_quickly(node: Any, depth: int) -> Any:
    """The copy of what is plain JSON without a doubt."""
    kind = type(node)
    if kind is str and node.isascii():
        return node
    if kind is dict and depth:
        for key in node:
            if type(key) is not str or not key.isascii():
                raise _OddValueError
        return {key: _copied_quickly(item, depth - 1) for key, item in node.items()}
    if kind is list and depth:
        return [_copied_quickly(item, depth - 1) for item in node]
    if _is_scalar(node):
        return node
    raise _OddValueError


def _copied(node: Any, path: str, parents: tuple[int, ...], faults: list[PathFault]) -> Any:
    if _is_scalar(node):
        return node
    inside = (*parents, id(node))
    if id(node) in parents:
        faults.append((path, "contains itself"))
    elif len(parents) == MAX_DEPTH:
        faults.append((path, f"nested more than {MAX_DEPTH} levels deep"))
    elif isinstance(node, Mapping):
        faults += [(path, f"the key {short_repr(key)} is not text") for key in node if not _is_text(key)]
        return {key: _copied(child, f"{path}.{key}", inside, faults) for key, child in node.items() if _is_text(key)}
    elif isinstance(node, list | tuple):
        return [_copied(child, f"{path}[{index}]", inside, faults) for index, child in enumerate(node)]
    else:
        faults.append((path, f"{short_repr(node)} ({type(node).__name__}) is not JSON"))
    return None


def _is_scalar(node: Any) -> bool:
    if isinstance(node, float):
        return math.isfinite(node)
    if isinstance(node, int):
        return node.bit_length() <= 1024  # Python writes no number of more than 4,300 digits
    return node is None or _is_text(node)


def _is_text(node: Any) -> bool:
    """Whether it is text that UTF-8 can encode: half a surrogate pair is not."""
    return isinstance(node, str) and (node.isascii() or node == node.encode("utf-8", "replace").decode())
