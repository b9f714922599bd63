"""Dates and times of day in a text, and which of them do not exist, such as 0:30 PM, 24:15 or 31 February."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, date

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTHS
from grpo_env_sdk.late_patterns import regex

_MONTH = "|".join(MONTHS)
_OF_HALVES = regex(r"(?<![\w:.,])(\d{1,2})(?::(\d\d))?( ?)([ap])\.?m\b", re.IGNORECASE)
_OF_DAY = regex(r"(?<![\w:.,/+-])(\d{1,2}):(\d{1,2})(?!\w|:?\d| ?[ap]\.?m\b)", re.IGNORECASE)
_YEAR_FIRST = regex(r"(?<![\w./-])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?!\d|[-/]\d)")
_YEAR_LAST = regex(r"(?<![\w./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?![\w-])")
_DAY_FIRST = regex(rf"(?<![\w.])(\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?({_MONTH})(?:,? (\d{{4}}))?(?!\w)")
_MONTH_FIRST = regex(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})(?!\w)")
_LEAP = 2000
"""The year where none is said."""


@dataclass(frozen=True, slots=True)
class Written:
    """A date or a time of day as it is written, whether it exists, and what may be meant where it does not."""

    text: str
    exists: bool
    instead: tuple[str, ...] = ()


def times_of_halves(text: str) -> Iterator[Written]:
    """The times of day with AM or PM."""
    for found in _OF_HALVES.finditer(text):
        hour, minute = int(found[1]), int(found[2] or 0)
        exists = 1 <= hour <= 12 and minute < 60
        at = (hour % 12 * 60 + minute) % (12 * 60)
        minutes = f":{at % 60:02d}" if found[2] else ""
        rest = f"{minutes}{found[3]}{found[0][found.end(3) - found.start() :]}"
        right = (f"{at // 60 or 12}{rest}", f"{at // 60 or 12:02d}{rest}")
        yield Written(found[0], exists, () if exists else tuple(dict.fromkeys(right)))


def times_of_day(text: str) -> Iterator[Written]:
    """The times of day without AM and PM; midnight may be 24:00."""
    for found in _OF_DAY.finditer(text):
        hour, minute = int(found[1]), int(found[2])
        exists = minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) and len(found[2]) == 2
        at = (hour * 60 + minute) % (24 * 60)
        right = (f"{at // 60:02d}:{at % 60:02d}", f"{at // 60}:{at % 60:02d}")
        yield Written(found[0], exists, () if exists else tuple(dict.fromkeys(right)))


def dates(text: str) -> Iterator[Written]:
    """The dates, with the days around the end of the month beside those that do not exist."""
    for found in _YEAR_FIRST.finditer(text):
        yield _date(found, int(found[1]), int(found[3]), int(found[4]), f"{{0:%Y{found[2]}%m{found[2]}%d}}")
    for found in _YEAR_LAST.finditer(text):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        if _is_day(year, one, other):
            yield Written(found[0], True)
        elif other > 12:
            yield _date(found, year, one, other, f"{{0:%m{found[2]}%d{found[2]}%Y}}")
        else:
            yield _date(found, year, other, one, f"{{0:%d{found[2]}%m{found[2]}%Y}}")
    for found in _DAY_FIRST.finditer(text):
        year = int(found[3] or _LEAP)
        behind = found[0].partition(found[2])[2]
        yield _date(found, year, MONTHS.index(found[2]) + 1, int(found[1]), f"{{0.day}} {{0:%B}}{behind}")
    for found in _MONTH_FIRST.finditer(text):
        yield _date(found, int(found[3]), MONTHS.index(found[1]) + 1, int(found[2]), f"{{0:%B}} {{0.day}}, {found[3]}")


def _date(found: re.Match[str], year: int, month: int, day: int, form: str) -> Written:
    if _is_day(year, month, day):
        return Written(found[0], True)
    near = [(year, month, 28), (year, month, 29), (year, month, 30), (year, month + 1, 1), (year, month + 1, day - 28)]
    near += [(year, month + 1, day - 29), (year, month + 1, day - 30)]
    far = [(year + 1, month - 12, day), (year - 1, 12, day), (year, 12, day), (year, month + 1, day)]
    beside = dict.fromkeys(date(*one) for one in (near if 1 <= month <= 12 else far) if _is_day(*one))
    return Written(found[0], False, tuple(form.format(one) for one in beside))


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        return 0 < year < MAXYEAR and date(year, month, day) is not None
    except ValueError:
        return False
