"""The keys of a mapping: JSON has only texts, which become the numbers, enums and dates of the annotation."""

import datetime
import enum
import types
import typing
from typing import Any

from grpo_env_sdk.tools.wrapped_types import unwrapped

_NUMBERS = {int: "whole number", float: "number"}
_DATES = (datetime.datetime, datetime.date, datetime.time)


def can_be_key(annotation: Any) -> bool:
    """Whether the text of a key can be converted to this type without doubt."""
    inner = unwrapped(annotation)
    if inner is not annotation:
        return can_be_key(inner)
    kind = typing.get_origin(annotation) or annotation
    if kind in (typing.Union, types.UnionType):
        return all(map(can_be_key, typing.get_args(annotation)))
    if kind in (Any, object, typing.Literal, *_NUMBERS):
        return True
    return isinstance(kind, type) and issubclass(kind, (str, enum.Enum, *_DATES))


def converted_key(annotation: Any, key: str) -> Any:
    """A key converted to its annotation; a ValueError where the annotation has no such value."""
    inner = unwrapped(annotation)
    if inner is not annotation:
        return converted_key(inner, key)
    kind, args = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if kind in (typing.Union, types.UnionType):
        return _first_that_fits(args, key)
    if kind is typing.Literal:
        return _named(args, key)
    if kind in _NUMBERS:
        try:
            return kind(key)
        except ValueError:
            raise ValueError(f"the key {key!r} is not a {_NUMBERS[kind]}") from None
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _named(kind, key)
    return kind.fromisoformat(key) if kind in _DATES else key


def _named(members: Any, key: str) -> Any:
    """The member of an enum, or the value of a `Literal`, that JSON writes so."""
    values = {str(member.value if isinstance(member, enum.Enum) else member): member for member in members}
    if key not in values:
        raise ValueError(f"the key {key!r} is none of {', '.join(values)}")
    return values[key]


def _first_that_fits(choices: tuple[Any, ...], key: str) -> Any:
    problem = ValueError(f"the key {key!r} does not fit")
    for choice in choices:
        try:
            return converted_key(choice, key)
        except ValueError as exc:
            problem = exc
    raise problem
