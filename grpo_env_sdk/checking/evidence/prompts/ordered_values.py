"""Numbers, times, dates and versions as people order them, which is not the order of their letters."""

import re
from collections.abc import Callable
from datetime import date

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTH_NAMES, MONTHS
from grpo_env_sdk.late_patterns import regex

Key = tuple[float, ...]
"""What values of one kind are ordered by."""
_MONTH = {name[:3].casefold(): number for number, name in enumerate(MONTHS, 1)}


def _clock(found: re.Match[str]) -> Key | None:
    hour, minute, half = int(found[1]), int(found[2]), (found[3] or "").casefold()
    if hour > 23 or minute > 59:
        return None
    return (hour % 12 + 12 * (half[:1] == "p") if half else hour, minute)


def _day_first(found: re.Match[str]) -> Key | None:
    return _day(int(found[3]), int(found[2]), int(found[1]))


def _year_first(found: re.Match[str]) -> Key | None:
    return _day(int(found[1]), int(found[2]), int(found[3]))


def _named_day(found: re.Match[str]) -> Key | None:
    day, name = (found[1], found[2]) if found[1] else (found[4], found[3])
    return _day(int(found[5] or 2000), _MONTH[name[:3].casefold()], int(day))


def _day(year: int, month: int, day: int) -> Key | None:
    try:
        return (date(year, month, day).toordinal(),)
    except ValueError:
        return None


def _parts(found: re.Match[str]) -> Key:
    return tuple(float(part) for part in found[1].split("."))


def _number(found: re.Match[str]) -> Key:
    return (float(found[1].replace(",", "")),)


KINDS: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], Key | None]]] = {
    "times": (regex(r"(?<![\d:.])(\d{1,2}):(\d\d)(?![:\d])(?: ?([ap])\.?m\.?)?", re.I), _clock),
    "dates": (regex(r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\w)"), _day_first),
    "years first": (regex(r"(?<![\w-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\w-])"), _year_first),
    "named days": (
        regex(rf"(?<!\w)(?:(\d{{1,2}})\.? ({MONTH_NAMES})|({MONTH_NAMES}) (\d{{1,2}}))(?:,? (\d{{4}}))?(?!\w)", re.I),
        _named_day,
    ),
    "months": (regex(rf"(?<!\w)({MONTH_NAMES})(?!\w)", re.I), lambda found: (_MONTH[found[1][:3].casefold()],)),
    "versions": (regex(r"(?<![\w.])v?(\d+(?:\.\d+){2,3})(?![\w.]*\w)", re.I), _parts),
    "short versions": (regex(r"(?<![\w.])v(\d+\.\d+)(?![\w.]*\w)", re.I), _parts),
    "numbers": (regex(r"(?<![\w.:-])[$€£]?(-?\d+(?:,\d{3})*(?:\.\d+)?)(?!\w*:)(?![\w.]*\d)"), _number),
}
"""By kind, how values are written, and what they are ordered by."""


def kind_of(text: str) -> str:
    """The kind of a text that is one value; empty if it is none."""
    return next((kind for kind in KINDS if key_of(text, kind) is not None), "")


def key_of(text: str, kind: str) -> Key | None:
    """What a text that is one value of a kind is ordered by; units behind a number are left out."""
    pattern, read = KINDS[kind]
    found = pattern.match(text.strip())
    rest = text.strip()[found.end() :] if found else "?"
    allowed = r" ?[^\W\d]{0,8}%?" if kind == "numbers" else ""
    return read(found) if found and re.fullmatch(allowed, rest) else None


def values_in(text: str, kind: str) -> list[str]:
    """The values of a kind in a text, as they are written."""
    pattern, read = KINDS[kind]
    return [found.group() for found in pattern.finditer(text) if read(found) is not None]
