"""A clock that is more than a year ahead, in this process from now on."""

import datetime
import sys
import time
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

LATER = 400 * 86_400.0 + 12_345.0
"""How many seconds a shifted clock is ahead."""
_NEED_REAL_CLASSES = ("pandas", "datasets")
"""Packages with extension modules that crash where the classes of `datetime` are others while they are imported."""

_real_time, _RealDatetime, _RealDate = time.time, datetime.datetime, datetime.date
_AHEAD = datetime.timedelta(seconds=LATER)


def shift_clock() -> None:
    """Let `time.time` and the present of `datetime` be later."""
    time.time = lambda: _real_time() + LATER
    _set_classes(_Later, _LaterDate)
    sys.meta_path.insert(0, _ImportedWithRealClasses())


def _set_classes(of_datetime: type, of_date: type) -> None:
    datetime.datetime, datetime.date = of_datetime, of_date  # type: ignore[misc]  # in a child that ends soon


class _Like(type):
    """Classes whose instances are those of the real ones."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, cls.__mro__[1])


class _Later(_RealDatetime, metaclass=_Like):
    """A datetime whose present is later."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return _RealDatetime.now(tz) + _AHEAD

    @classmethod
    def utcnow(cls) -> Any:
        return _RealDatetime.now(datetime.UTC).replace(tzinfo=None) + _AHEAD

    @classmethod
    def today(cls) -> Any:
        return _RealDatetime.now() + _AHEAD


class _LaterDate(_RealDate, metaclass=_Like):
    """A date whose today is later."""

    @classmethod
    def today(cls) -> Any:
        return (_RealDatetime.now() + _AHEAD).date()


class _ImportedWithRealClasses(MetaPathFinder):
    """Finds the packages that need the real classes while they are imported, and gives them these for that time."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """The usual spec of such a package, which loads it with the real classes; None for all others."""
        spec = PathFinder.find_spec(name, path, target) if name in _NEED_REAL_CLASSES else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            before = datetime.datetime, datetime.date
            _set_classes(_RealDatetime, _RealDate)
            try:
                load(module)
            finally:
                _set_classes(*before)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # of this one module
        return spec
