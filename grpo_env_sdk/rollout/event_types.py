"""Whether what was decoded has the types that its class declares: a worker's answer may be forged."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type; tuples may have become lists, as in JSON."""
    if hint is Any:
        return True
    origin, given = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in given)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in given)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        whole = isinstance(value, dict)
        return whole and all(fits(key, given[0]) and fits(item, given[1]) for key, item in value.items())
    if isinstance(origin, type) and issubclass(origin, Sequence):
        items = [one for one in given if one is not Ellipsis]
        return isinstance(value, list | tuple) and all(any(fits(item, one) for one in items) for item in value)
    if hint in (float, int):
        return isinstance(value, int if hint is int else int | float)
    if not isinstance(value, NoneType if hint is None else hint):
        return False
    declared: Any = type(value)
    return not is_dataclass(hint) or all(fits(getattr(value, name), kind) for name, kind in _declared(declared))


def adds_up(event: Any) -> bool:
    """Whether its times and metrics are finite; rewards and scores are checked where they count."""
    times = [timed.seconds for timed in (event, *getattr(event, "outcomes", ()))]
    return all(_is_finite(number) for number in (*times, *getattr(event, "metrics", {}).values()))


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number that is no float
        return False


@cache
def _declared(cls: Any) -> list[tuple[str, Any]]:
    hints = get_type_hints(cls)
    return [(item.name, hints[item.name]) for item in fields(cls)]
