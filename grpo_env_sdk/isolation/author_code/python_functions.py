"""The functions of Python's own library and of this package as they are now, to find the ones that code replaced."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

_OURS = __name__.partition(".")[0]
_IMMUTABLE = 1 << 8
"""The flag of a class of C code, whose attributes nobody can set."""
_BOUND = (staticmethod, classmethod, property)
_NOT_LOOKED_INTO = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_setattr, _delattr, _map, _len = setattr, delattr, map, len


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a module, a class or an object has that can be called."""

    holder: Any
    held: Mapping[str, Any]
    names: list[str]
    values: Any


class PythonFunctions:
    """What can be called in all modules of Python and of this package that are imported, in their classes and objects.

    Names with an underscore and classes that only submodules have are left out, as each episode pays for the rest.
    Comparing calls next to nothing, so whatever was replaced cannot hide it.
    """

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._compared: list[tuple[Callable[..., Any], Mapping[str, Any], Any]] = []
        self._names: list[tuple[Any, Mapping[str, Any], Collection[str]]] = []
        """Of classes and objects: what is added to them hides what they inherit."""
        for holder in {id(found): found for found in _holders()}.values():
            held = vars(holder)
            names = [name for name, value in held.items() if _counts(holder, name, value)]
            if names:
                values_of = itemgetter(*names, names[0])  # of one name alone it would be no tuple
                self._kept.append(_Kept(holder, held, names, values_of(held)))
                self._compared.append((values_of, held, self._kept[-1].values))
            if not isinstance(holder, ModuleType):
                self._names.append((holder, held, frozenset(held)))
        self._helds = [held for _, held, _ in self._names]
        self._sizes = [*_map(_len, self._helds)]

    @property
    def changed(self) -> bool:
        """Whether one was replaced, taken away or added."""
        try:
            for values_of, held, values in self._compared:
                if values_of(held) != values:
                    return True
        except KeyError:
            return True
        return [*_map(_len, self._helds)] != self._sizes and self._added() != []

    def restore(self) -> None:
        """Put back those that were replaced or taken away, and take away what was added."""
        for kept in self._kept:
            for name, value in zip(kept.names, kept.values, strict=False):
                if name not in kept.held or kept.held[name] is not value:
                    _setattr(kept.holder, name, value)
        for holder, name in self._added():
            _delattr(holder, name)

    def _added(self) -> list[tuple[Any, str]]:
        """What has been added to classes and objects that can be called."""
        return [
            (holder, name)
            for holder, held, names in self._names
            for name in held.keys() - names
            if _counts(holder, name, held[name])
        ]


def _counts(holder: Any, name: str, value: Any) -> bool:
    """Whether a value is something to call; in a submodule only what is defined there: it has names of others too.

    In the modules of this package all of it counts: it is what the calls of an episode go through.
    """
    if isinstance(holder, ModuleType) and holder.__name__.partition(".")[0] == _OURS:
        return callable(value)
    if name[:1] == "_":
        return False
    if isinstance(holder, ModuleType) and "." in holder.__name__:
        return callable(value) and getattr(value, "__module__", holder.__name__) == holder.__name__
    return callable(value) or isinstance(value, _BOUND)


def _holders() -> Iterator[Any]:
    """Modules; the classes of ours; of those that are no submodules the classes that can be changed, and the objects.

    Objects are those with attributes.
    """
    known = sys.stdlib_module_names | {_OURS}
    for path, module in list(sys.modules.items()):
        package = path.partition(".")[0]
        if package not in known or path[:1] == "_" or not isinstance(module, ModuleType):
            continue
        yield module
        if package == _OURS:
            yield from (value for value in list(vars(module).values()) if _is_class_of(value, path))
        if "." in path:
            continue
        for value in list(vars(module).values()):
            if isinstance(value, type):
                if not value.__flags__ & _IMMUTABLE and not issubclass(value, BaseException):
                    yield value
            elif _is_object(value, known) and isinstance(getattr(value, "__dict__", None), dict):
                yield value


def _is_class_of(value: Any, path: str) -> bool:
    return isinstance(value, type) and value.__module__ == path


def _is_object(value: Any, known: Collection[str]) -> bool:
    """Whether it is an object of a class of these packages, and no module or function."""
    return type(value).__module__.partition(".")[0] in known and not isinstance(value, _NOT_LOOKED_INTO)
