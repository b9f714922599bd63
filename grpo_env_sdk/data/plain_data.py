"""What author code returned as plain data: a copy that none of its objects can change, nor act in, later."""

import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import is_image
from grpo_env_sdk.isolation.values.error_text import MOST_CHARS, cut
from grpo_env_sdk.isolation.values.json_values import short_repr

_DEEPEST = 200
_AS_IT_IS = frozenset({str, int, float, bool, type(None), bytes, datetime, date, time, timedelta, Decimal})
_OF_SUBCLASS: dict[type, Callable[[Any], Any]] = {str: str.__str__, int: int.__int__, float: float.__float__}
"""What gives the plain value of a subclass, whatever methods that has."""
_NO_JSON = "What was returned cannot be written as JSON"
_HOW = "Return texts, numbers, lists and dicts."


def plain_data(value: Any, depth: int = _DEEPEST) -> Any:
    """A copy as plain data, of subclasses as of what they are made of; what has no form as data becomes its `repr`.

    Call it in the thread and time of the code that returned the value, as this may call methods of its objects.
    """
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if not depth:
        raise ContractError(f"{_NO_JSON}: it is nested more than {_DEEPEST} levels deep, or contains itself.", _HOW)
    if kind is dict:
        return {key if type(key) is str else _key(key): plain_data(item, depth - 1) for key, item in dict.items(value)}
    if kind is list:
        return [plain_data(item, depth - 1) for item in value]
    return _plain(value, kind, depth - 1)


def plain_scalar(value: Any) -> Any:
    """The text or number that a value of a subclass is made of; anything else as it is."""
    for base, read in _OF_SUBCLASS.items():
        if issubclass(type(value), base) and type(value) not in _AS_IT_IS:
            return read(value)
    return value


def plain_text(text: str) -> str:
    """The text of a str or of a subclass, which may have methods of its own."""
    return text if type(text) is str else str.__str__(text)


def _plain(value: Any, kind: type, depth: int) -> Any:
    for base, read in _OF_SUBCLASS.items():
        if issubclass(kind, base):
            return read(value)
    if issubclass(kind, dict):
        return plain_data(dict(dict.items(value)), depth + 1)
    if issubclass(kind, list):
        return [plain_data(item, depth) for item in list.__iter__(value)]
    if issubclass(kind, tuple):
        return tuple(plain_data(item, depth) for item in tuple.__iter__(value))
    if issubclass(kind, Mapping):
        return plain_data({key: value[key] for key in value}, depth + 1)
    if is_image(value):  # one as Pillow opened it stays, as it equals that of its row
        by_pillow = kind.__module__.startswith("PIL.") and kind.__name__.endswith("ImageFile")
        found = getattr(sys.modules.get(kind.__module__), kind.__name__, None) if by_pillow else None
        return value if found is kind else sys.modules["PIL.Image"].Image.copy(value)
    return _of_library(value, kind)


def _of_library(value: Any, kind: type) -> Any:
    """A copy of an array, a number of numpy as one of Python, a time of pandas; for anything else a text."""
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and kind is numpy.ndarray and not value.dtype.hasobject:
        return value.copy()
    if numpy is not None and issubclass(kind, numpy.generic) and getattr(numpy, kind.__name__, None) is kind:
        if value.dtype.kind in "cmMS":
            return value
        if value.dtype.kind in "biuf" and type(number := value.item()) in _AS_IT_IS:
            return number
    if pandas is not None and kind in (pandas.Timestamp, pandas.Timedelta):
        return value
    try:
        return cut(plain_text(repr(value)), MOST_CHARS)
    except BaseException:  # the author's own, also a `sys.exit`
        return f"<{type.__dict__['__name__'].__get__(kind)}>"


def _key(key: Any) -> Any:
    kind = type(key)
    if kind in (int, float, bool, type(None)):
        return key
    for base, read in _OF_SUBCLASS.items():
        if issubclass(kind, base):
            return read(key)
    raise ContractError(f"{_NO_JSON}: the key {short_repr(key)} is not text.", _HOW)
