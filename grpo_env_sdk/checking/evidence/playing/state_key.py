"""What tells the states of an episode apart: all that the author's attributes hold, as a value to compare."""

import enum
import logging
import random
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from grpo_env_sdk.errors import GrpoEnvError

_PLAIN = (str, bytes, int, float, complex, bool, type(None), enum.Enum)
_CODE = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, type)
_OF_THE_SDK = frozenset({"_grpo", "_np_random", "_np_random_seed", "observation_space", "action_space", "shared"})
_DEEPEST = 30
_INERT = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Event, logging.Logger)
"""What holds no state of an episode."""
UNKNOWN = "cannot be compared"
"""The value of an attribute that cannot be compared, such as a socket or a generator."""


class UnknownStateError(GrpoEnvError):
    """An attribute holds something whose contents cannot be compared, such as a socket."""


def attributes(env: Any) -> dict[str, Any]:
    """The author's attributes of an instance, and the row, which a step may change."""
    own = {name: value for name, value in vars(env).items() if name not in _OF_THE_SDK}
    return own | {"row of the episode": env._grpo.row}


def held(env: Any, unknown: bool = True) -> dict[str, Hashable]:
    """What the author's attributes hold, by name; what cannot be compared raises, or else is `UNKNOWN`."""
    found: dict[str, Hashable] = {}
    for name, value in sorted(attributes(env).items()):
        try:
            found[name] = _frozen(value, 0)
        except UnknownStateError:
            if unknown:
                raise
            found[name] = UNKNOWN
    return found


def generators_of(env: Any) -> list[Any]:
    """The random generators that are attributes of an instance."""
    return [one for one in vars(env).values() if isinstance(one, random.Random) or hasattr(one, "bit_generator")]


def luck_of(env: Any) -> Hashable:
    """The state of these generators: it changes where chance decides."""
    return tuple(_frozen(one, 0) for one in generators_of(env))


def _frozen(value: Any, depth: int) -> Hashable:
    if isinstance(value, _PLAIN):
        return value
    if depth > _DEEPEST:
        raise UnknownStateError("The attributes are nested too deeply.")
    if isinstance(value, _INERT):
        return type(value).__name__
    if isinstance(value, _CODE):
        return getattr(value, "__qualname__", repr(value))
    frozen = next((freeze for kind, freeze in _FROZEN.items() if isinstance(value, kind)), None)
    if frozen is not None:
        return (type(value).__name__, frozen(value, depth + 1))
    return (type(value).__qualname__, _contents(value, depth + 1))


def _contents(value: Any, depth: int) -> Hashable:
    """What an object of another type holds."""
    if hasattr(value, "bit_generator"):
        return _frozen(value.bit_generator.state, depth)
    if callable(getattr(value, "newbyteorder", None)) and hasattr(value, "itemsize"):  # a dtype of NumPy
        return str(value)
    if callable(tobytes := getattr(value, "tobytes", None)):
        return (getattr(value, "shape", None), str(getattr(value, "dtype", "")), tobytes())
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})
    if not held:
        raise UnknownStateError(f"{type(value).__name__} cannot be compared.")
    return _frozen(held, depth)


def _in_order(value: Any, depth: int) -> Hashable:
    return tuple(_frozen(item, depth) for item in value)


def _in_any_order(value: Any, depth: int) -> Hashable:
    return frozenset(_frozen(item, depth) for item in value)


def _by_name(value: Mapping[Any, Any], depth: int) -> Hashable:
    return frozenset((_frozen(name, depth), _frozen(item, depth)) for name, item in value.items())


def _state(value: random.Random, depth: int) -> Hashable:
    return value.getstate()


def _dumped(value: sqlite3.Connection, depth: int) -> Hashable:
    try:
        return tuple(value.iterdump())
    except sqlite3.Error as exc:
        raise UnknownStateError("The database cannot be read.") from exc


_FROZEN: dict[Any, Callable[[Any, int], Hashable]] = {
    list: _in_order, tuple: _in_order, deque: _in_order, range: _in_order, bytearray: _in_order,
    set: _in_any_order, frozenset: _in_any_order, Mapping: _by_name, random.Random: _state,
    sqlite3.Connection: _dumped,
}  # fmt: skip
