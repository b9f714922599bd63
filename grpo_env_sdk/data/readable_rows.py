"""The rows that `build_dataset` gave, with each object of its author read once: what it does then is one line.

Arrow ends the process where reading the class of a value raises, as it has no way to raise there.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from grpo_env_sdk.data.plain_data import plain_scalar
from grpo_env_sdk.isolation.calls.deadline import by_user
from grpo_env_sdk.isolation.calls.tracebacks import describe_error

MOST_ROWS = 5_000_000
"""So many take gigabytes already; a `datasets.Dataset`, which need not be in memory, may have more."""
_DEEPEST = 100
_HARMLESS = frozenset({str, int, float, bool, type(None), bytes})


class UnreadableError(Exception):
    """What a row or a value did as it was read; the text says where, and follows the name of `build_dataset`."""


def row_dicts(rows: Iterable[Any]) -> list[Any]:
    """Each row as a dict with names of plain text; what is no mapping stays as it is."""
    found = []
    for at, row in enumerate(rows):
        if at == MOST_ROWS:
            raise UnreadableError(f"gave more than {MOST_ROWS} rows, maybe without end")
        found.append(row if type(row) is dict and _has_plain_names(row) else _dict_of(row, at))
    return found


def readable(name: str, values: list[Any]) -> list[Any]:
    """A column whose dicts, lists, texts and numbers are Python's own, and whose other values show their class."""
    return [value if type(value) in _HARMLESS else _value(value, name, at) for at, value in enumerate(values)]


def _has_plain_names(row: dict[Any, Any]) -> bool:
    return all(type(name) is str for name in row)


def _dict_of(row: Any, at: int) -> Any:
    try:
        return {plain_scalar(name): row[name] for name in row} if isinstance(row, Mapping) else row
    except BaseException as exc:
        raise _unreadable(f"row {at}", exc) from exc


def _value(value: Any, name: str, at: int) -> Any:
    try:
        return _plain(value, _DEEPEST)
    except BaseException as exc:
        raise _unreadable(f"row {at}, column {name!r}", exc) from exc


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _HARMLESS or not depth:
        return value
    if issubclass(kind, dict):
        return {plain_scalar(key): _plain(item, depth - 1) for key, item in value.items()}
    if issubclass(kind, list):
        return [_plain(item, depth - 1) for item in value]
    if issubclass(kind, tuple):
        return tuple(_plain(item, depth - 1) for item in value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and kind is numpy.ndarray and value.dtype.hasobject:
        return _plain(value.tolist(), depth)
    for item in value if issubclass(kind, set | frozenset) else ():
        _plain(item, depth - 1)
    isinstance(value, Mapping)  # reads its class, as Arrow does
    return plain_scalar(value)


def _unreadable(where: str, exc: BaseException) -> BaseException:
    return exc if by_user(exc) else UnreadableError(f"gave what cannot be read in {where}: {describe_error(exc)}")
