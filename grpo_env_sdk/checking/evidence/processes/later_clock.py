"""A clock that is more than a year ahead, in this process from now on."""

import datetime
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date as real_date
from datetime import datetime as real_datetime
from functools import partial
from typing import Any

from grpo_env_sdk.checking.evidence.processes.import_hooks import around_import

LATER = 400 * 86_400.0 + 12_345.0
"""How many seconds a shifted clock is ahead."""
_NEED_REAL_CLASSES = ("pandas", "datasets")
"""Packages with extension modules that crash where the classes of `datetime` are others while they are imported."""

_real_time = time.time
_AHEAD = datetime.timedelta(seconds=LATER)


def shift_clock() -> None:
    """Let the present of `time` and `datetime` be later."""
    time.time = lambda: _real_time() + LATER
    time.time_ns = lambda: int(time.time() * 1e9)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, partial(_at, getattr(time, name)))
    time.strftime = partial(_written, time.strftime)
    _set_classes(_Later, _LaterDate)
    around_import(_NEED_REAL_CLASSES, _with_real_classes)


def _at(real: Callable[[float], Any], seconds: float | None = None) -> Any:
    return real(time.time() if seconds is None else seconds)


def _written(real: Callable[[str, Any], str], form: str, when: Any = None) -> str:
    return real(form, time.localtime() if when is None else when)


def _set_classes(of_datetime: type, of_date: type) -> None:
    datetime.datetime, datetime.date = of_datetime, of_date  # type: ignore[assignment, misc]  # ends soon


class _Like(type):
    """Classes whose instances are those of the real ones."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, cls.__mro__[1])


class _Later(real_datetime, metaclass=_Like):
    """A datetime whose present is later."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return real_datetime.now(tz) + _AHEAD

    @classmethod
    def utcnow(cls) -> Any:
        return real_datetime.now(datetime.UTC).replace(tzinfo=None) + _AHEAD

    @classmethod
    def today(cls) -> Any:
        return real_datetime.now() + _AHEAD


class _LaterDate(real_date, metaclass=_Like):
    """A date whose today is later."""

    @classmethod
    def today(cls) -> Any:
        return (real_datetime.now() + _AHEAD).date()


@contextmanager
def _with_real_classes() -> Iterator[None]:
    before = datetime.datetime, datetime.date
    _set_classes(real_datetime, real_date)
    try:
        yield
    finally:
        _set_classes(*before)
