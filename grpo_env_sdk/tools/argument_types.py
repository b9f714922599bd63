"""Checked JSON arguments converted to a function's annotated types: dataclasses, enums, models, dates, floats, keys."""

import dataclasses
import datetime
import enum
import types
import typing
from collections import abc
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from grpo_env_sdk.isolation.values.error_text import error_text
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.tools.function_schema import routine_of
from grpo_env_sdk.tools.key_types import converted_key
from grpo_env_sdk.tools.type_schema import resolved_hints
from grpo_env_sdk.tools.wrapped_types import unwrapped

_DATES = (datetime.datetime, datetime.date, datetime.time)
_SEQUENCES = {tuple: tuple, set: set, abc.MutableSet: set, frozenset: frozenset, abc.Set: frozenset}
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)


class UnfitArgumentError(ValueError):
    """An argument that is valid by the schema but not for its type, such as 30 February."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def convert_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with JSON converted to the annotated dataclass, enum, model, set, tuple or date."""
    routine = routine_of(function)
    plain = getattr(routine, "__func__", routine)  # the cache must not keep instances alive
    hints = _rich(_hints_of(plain)) if getattr(plain, "__closure__", None) else _rich_hints(plain)
    converted = dict(arguments)
    for name in hints.keys() & arguments.keys():
        try:
            converted[name] = convert(hints[name], arguments[name])
        except (TypeError, ValueError) as exc:  # constructors raise these for invalid values
            raise UnfitArgumentError(name, error_text(exc)) from exc
    return converted


def convert(annotation: Any, value: Any) -> Any:
    """A value converted to its annotation; a value that already fits is returned unchanged."""
    if type(value) is annotation:
        return value
    inner = unwrapped(annotation)
    if inner is not annotation:
        return convert(inner, value)
    kind, args = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if kind in (typing.Union, types.UnionType):
        return _first_that_fits(args, value)
    if kind is typing.Literal:
        members = (member for member in args if isinstance(member, enum.Enum))
        return next((member for member in members if member.value == value), value)
    if isinstance(value, list) and not hasattr(kind, "model_validate"):
        return _sequence(kind, args, value)
    if isinstance(value, dict) and kind in _MAPPINGS:
        return _mapping(args, value)
    return _instance(kind, value) if isinstance(kind, type) else value


def _mapping(args: tuple[Any, ...], value: dict[str, Any]) -> dict[Any, Any]:
    if not args:
        return value
    converted = {converted_key(args[0], key): convert(args[1], item) for key, item in value.items()}
    pairs = zip(converted.items(), value.items(), strict=False)
    same = len(converted) == len(value) and all(new[0] is old[0] and new[1] is old[1] for new, old in pairs)
    return value if same else converted


def _instance(cls: Any, value: Any) -> Any:
    if issubclass(cls, enum.Enum):
        return cls(value)
    if cls is int and isinstance(value, float):
        return int(value)  # JSON Schema accepts 3.0 as an integer
    if cls is float and type(value) is int:
        return _as_float(value)
    if issubclass(cls, _DATES) and isinstance(value, str):
        return cls.fromisoformat(value)
    if hasattr(cls, "model_validate"):
        return value if isinstance(value, cls) else cls.model_validate(value)
    if isinstance(value, dict) and _has_fields(cls):
        hints = _hints(cls)
        return cls(**{key: convert(hints.get(key, Any), item) for key, item in value.items()})
    return value


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("the number is too large") from None


def _sequence(kind: Any, args: tuple[Any, ...], value: list[Any]) -> Any:
    if kind is tuple and args and args[-1] is not ...:
        if len(value) != len(args):
            raise ValueError(f"needs {counted(len(args), 'item')}, got {len(value)}")
        return tuple(convert(item, each) for item, each in zip(args, value, strict=True))
    converted = [convert(args[0], each) for each in value] if args else value
    if kind in _SEQUENCES:
        return _SEQUENCES[kind](converted)
    return converted if any(new is not old for new, old in zip(converted, value, strict=True)) else value


def _first_that_fits(choices: tuple[Any, ...], value: Any) -> Any:
    """The value converted by the first type of a union that changes it; unchanged if a plain JSON type fits."""
    if value is None or (isinstance(value, str | int | float) and type(value) in choices):
        return value
    problem: Exception | None = None
    for choice in choices:
        try:
            converted = convert(choice, value)
        except (TypeError, ValueError) as exc:
            problem = problem or exc
            continue
        if converted is not value:
            return converted
    plain = {typing.get_origin(choice) or choice for choice in choices} & {type(value), Any, typing.Literal}
    if problem is None or plain:
        return value
    raise problem


@lru_cache(maxsize=4096)
def _rich_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations that need a conversion from JSON; most functions have none."""
    return _rich(_hints(function))


def _rich(hints: Mapping[str, Any]) -> dict[str, Any]:
    return {name: hint for name, hint in hints.items() if _is_rich(hint)}


@lru_cache(maxsize=4096)
def _hints(thing: Any) -> dict[str, Any]:
    return _hints_of(thing)


def _hints_of(thing: Any) -> dict[str, Any]:
    try:
        return resolved_hints(thing)
    except (NameError, TypeError):
        return {}


def _is_rich(hint: Any) -> bool:
    if hasattr(hint, "__value__"):  # a `type` alias may contain itself
        return True
    inner = unwrapped(hint)
    if inner is not hint:
        return _is_rich(inner)
    kind, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is typing.Literal:
        return any(isinstance(member, enum.Enum) for member in args)
    if isinstance(kind, type) and (kind in _SEQUENCES or kind in (int, float) or _has_own_form(kind)):
        return True
    return any(_is_rich(argument) for argument in args)


def _has_own_form(cls: type) -> bool:
    return issubclass(cls, (enum.Enum, *_DATES)) or hasattr(cls, "model_validate") or _has_fields(cls)


def _has_fields(cls: type) -> bool:
    """Whether it is a dataclass or a TypedDict."""
    return dataclasses.is_dataclass(cls) or (issubclass(cls, dict) and hasattr(cls, "__required_keys__"))
