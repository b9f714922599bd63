"""Times, dates and places in texts as numbers, and the ranges of them that a text shows."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

DAY = 24 * 60
_DATE = r"\d{4}-[01]\d-[0-3]\d"
_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d"
_TO = r"\s*(?:-|\u2013|\u2014|to|until|till|bis)\s*"
_KEY = r"\"?\s*,\s*\"\w*(?:end|to|until|till|finish|check_?out|depart\w*|last|bis)\w*\"\s*:\s*\"?"
_LONG = r"\"?\s*,\s*\"(\w*(?:min|dur|length|hours|nights|days)\w*)\"\s*:\s*(\d{1,3})\b"
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scale:
    """What is counted: how it is written, read as a number, and how a text looks that is moved by so much."""

    name: str
    form: str
    read: Callable[[str], int | None]
    write: Callable[[int, str], str]
    steps: tuple[int, ...]
    """The steps in which it is counted, the longest first."""
    like: str
    """One of these, as it is usually written."""

    def found(self, text: str) -> list[int]:
        """All of these in a text."""
        return [value for one in re.findall(self._alone, text) if (value := self.read(one)) is not None]

    def moved(self, text: str, by: int) -> str:
        """A text with all of these later, or earlier."""
        return re.sub(self._alone, lambda found: self.write((self.read(found[0]) or 0) + by, found[0]), text)

    def ranges(self, text: str) -> Iterator[Range]:
        """The ranges that a text shows: from one to another, as two values of an object, or with a length."""
        one = self._alone
        ways = [f"({one}){between}({one})" for between in (_TO, _KEY)]
        if "[[" in text:  # two in a list may be two starts
            ways.append(rf"\[\s*\"?({one})\"?\s*,\s*\"?({one})\"?\s*\]")
        for way in ways:
            for first, last in re.findall(way, text):
                start, end = self.read(first), self.read(last)
                if start is not None and end is not None and start < end:
                    yield start, end
        for first, name, length in re.findall(f"({one}){_LONG}", text):
            if (start := self.read(first)) is not None:
                yield start, start + int(length) * self.unit(name)

    def unit(self, name: str) -> int:
        """How many of the smallest steps a length of this name has for each."""
        return 60 if self.name != "date" and "hour" in name else 1

    @property
    def _alone(self) -> str:
        return rf"(?<![\w:.-]){self.form}(?![\w:]|-\d)" if self.name == "date" else rf"(?<![\w:.]){self.form}(?![\d:])"


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")[:2]
    return int(hours) * 60 + int(minutes)


def _clock(minutes: int, like: str) -> str:
    hours = f"{minutes // 60 % 24:02d}" if len(like.split(":")[0]) == 2 else str(minutes // 60 % 24)
    return f"{hours}:{minutes % 60:02d}"


def _day(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def _date(day: int, like: str) -> str:
    return (date.min + timedelta(days=day - 1)).isoformat()


def _moment(text: str) -> int | None:
    day = _day(text[:10])
    return None if day is None else day * DAY + _minutes(text[11:])


def _written(moment: int, like: str) -> str:
    return f"{_date(moment // DAY, like)}{like[10]}{_clock(moment % DAY, like[11:])}{like[16:]}"


def _number(value: int, like: str) -> str:
    return str(value)


CLOCKS = Scale("time", _CLOCK, _minutes, _clock, (30, 15, 5), "00:00")
DATES = Scale("date", _DATE, _day, _date, (1,), "2000-01-01")
MOMENTS = Scale("moment", rf"{_DATE}[T ][012]\d:[0-5]\d(?::00)?", _moment, _written, (30, 15, 5), "2000-01-01 00:00")
NUMBERS = Scale("number", r"\d{1,3}", int, _number, (1,), "0")
SCALES = (MOMENTS, CLOCKS, DATES, NUMBERS)
