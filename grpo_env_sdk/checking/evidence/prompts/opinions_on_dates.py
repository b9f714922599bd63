"""What questions about days and times of day have as their answers."""

import re
from calendar import isleap, monthrange
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from math import ceil, floor
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTHS, WEEKDAYS, dates_in
from grpo_env_sdk.checking.evidence.prompts.cities import cities_in, zone_of
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, opinion
from grpo_env_sdk.late_patterns import regex

BOTH_ENDS, ONE_END, NO_END = "counting both ends", "counting one of the ends", "counting neither end"
COUNTS_ENDS = (
    r"\b(?:both (?:of (?:these |those |the )?)?(?:days|dates|ends|endpoints|included|inclusive)|inclusive|"
    r"(?:first|start\w*|beginning)(?: days?)? and (?:the )?(?:last|end\w*|final)(?: days?)?,? (?:\w+ )?"
    r"(?:included|inclusive|counted|count)|"
    r"(?:including|counting|count) (?:both|the first and(?: the)? last|the start and(?: the)? end))\b"
)
COUNTS_NONE = r"\b(?:exclusive|excluding both|not (?:counting|including) either|strictly between|nights?)\b"
_NOT_SO = (
    r"\b(?:not|exclud\w*|without|neither) (?:\w+ ){0,2}(?:inclusive|both|first|start)\b|"
    r"\bboth\b[^.?!]{0,30}(?:\b(?:not|exclud\w*)\b|n't\b)"
)
_LEAP = r"\b(?:leap|29(?:th)?(?: of)? feb\w*|feb\w* 29(?:th)?)\b"
_LEFT_OUT = r"\b(?:no|not|n[o']t|never|without|ignor\w*|disregard\w*|skip\w*|exclud\w*|omit\w*|leav\w* out|left out)\b"
_OWN_YEARS = regex(
    r"\b36[05]\b|\b30[- ]day|\bday-count\b|\bday count (?:convention|basis|fraction|rule)|"
    rf"{_LEFT_OUT}[^.?!]{{0,40}}{_LEAP}|{_LEAP}[^.?!]{{0,40}}{_LEFT_OUT}",
    re.IGNORECASE,
)
"""What prompts say in which years or months have lengths of their own."""
_OWN_MONTHS = regex(
    r"\bmonth\w*|\b(?:thirty|30) days\b|\b(?:bank\w*|bonds?|interest|coupons?|accru\w*|conventions?|assum\w*)\b",
    re.IGNORECASE,
)
"""What prompts say in which months may count as 30 days."""
_SOME_DAYS = (
    r"\b(?:work\w*|business|week\w*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|holidays?|vacation|leave|off|shifts?|"
    r"school|trading|bank\w*|market|open\w*|closed|only|each|every|except\w*|exclud\w*|apart from)\b"
)
"""Words of prompts in which days of a kind are not all days."""
_ALL_DAYS = (
    r"\bhow many (?:calendar )?(?:days|nights)\b|\bnumber of days\b|\bwie ?viele tage\b|"
    r"\bcombien de jours\b|\bcu[aá]ntos d[ií]as\b|\bquanti giorni\b|\bquantos dias\b"
)
_ENGLISH = r"\b(?:how many|number of)\b"
"""What prompts have whose other words on months can be read."""
_DAYS_OF_A_KIND = (
    r"\bhow many (?:(?:lay|rental|rented|hire|lease|loan|full|whole|total|complete|entire|hotel|calendar|consecutive|"
    r"storage|parking|camping|mooring|travel|elapsed) ){1,2}(?:days|nights)\b"
)
_HOUR = timedelta(hours=1)
_SPANS = {"day": timedelta(1), "week": timedelta(7)}
_SPAN = regex(r"\b(\d{1,4}) (day|week)s? (after|before|later|earlier|from|prior)\b", re.IGNORECASE)
_TIME = regex(r"(?<![\d:])(\d{1,2}):(\d\d)(?![\d:])")
_OWN_ZONES = regex(
    r"\b(?:UTC|GMT) ?[-+\u2212±]|\bhours? (?:ahead|behind)\b|\bstandard time\b|"
    r"\b(?:ignor\w*|without|disregard\w*|no|not \w+) (?:\w+ ){0,2}(?:daylight|summer|DST)\b",
    re.IGNORECASE,
)
"""What prompts say that have offsets of their own."""
_ASKS_UNIT = r"\b(?:how many|in|number of) (minutes|hours)\b"
_OWN_COUNT = regex(
    r"\b(?:time ?zones?|zones?|local|UTC|GMT|DST|daylight|summer time|[ap]\.?m\.?|breaks?|pauses?|except\w*|exclu\w*|"
    r"minus|without|only|each|every|daily|per|working|business|opening|open)\b|\d ?(?:minutes?|mins?|hours?|hrs?|h)\b",
    re.IGNORECASE,
)
"""What prompts say in which more than the time between two moments counts, or not all of it."""
_ORDINALS = (
    "first|1st|erste[rnm]?|premier|primer", "second|2nd|zweite[rnm]?|deuxième|segundo",
    "third|3rd|dritte[rnm]?|troisième|tercer", "fourth|4th|vierte[rnm]?|quatrième|cuarto",
    "last|letzte[rnm]?|dernier|último",
)  # fmt: skip
_DAYS = (
    "monday|montag|lundi|lunes", "tuesday|dienstag|mardi|martes", "wednesday|mittwoch|mercredi|miércoles",
    "thursday|donnerstag|jeudi|jueves", "friday|freitag|vendredi|viernes", "saturday|samstag|samedi|sábado",
    "sunday|sonntag|dimanche|domingo",
)  # fmt: skip
_NTH = regex(rf"\b({'|'.join(_ORDINALS)}) ({'|'.join(_DAYS)})\b", re.IGNORECASE)
_MONTH = regex(rf"\b({'|'.join(MONTHS)}),? (\d{{4}})\b", re.IGNORECASE)
_BESIDE = (
    r"\b(?:holidays?|unless|except|next (?:business|working|trading)|(?:day|week|month)s? (?:after|before|following))\b"
)
"""Words of rules that move the day."""
_WEEK = (
    r"\b(?:calendar week|kalenderwoche|week number|number of the week|semaine (?:ISO|numéro|de l'année)|"
    r"número de (?:la )?semana|which week|what week)\b"
)


def by_slips_of_the_calendar(prompt: str) -> Mapping[str, Mapping[str, Value]]:
    """The days between two dates if no February had more than 28 days, or each month 30, in English prompts."""
    dates = sorted(dates_in(prompt))
    if len(dates) != 2:
        return {}
    first, last = dates
    leap_days = [date(year, 2, 29) for year in range(first.year, last.year + 1) if isleap(year)]
    apart = (last - first).days - sum(first < day <= last for day in leap_days)
    found = {"365 days in each year": _by_ends(apart)}
    if re.search(_ENGLISH, prompt, re.IGNORECASE) and not _OWN_MONTHS.search(prompt):
        years, in_months = last.year - first.year, 30 * (last.month - first.month) + last.day - first.day
        found["30 days in each month"] = _by_ends(360 * years + in_months)
        found["365 days in each year, and 30 in each month"] = _by_ends(365 * years + in_months)
    return found


def _by_ends(apart: int) -> Mapping[str, Value]:
    return {ONE_END: float(apart), BOTH_ENDS: float(apart + 1), NO_END: float(apart - 1)}


@opinion(
    "the days between two dates", rf"{_ALL_DAYS}|{_DAYS_OF_A_KIND}",
    {ONE_END: COUNTS_ENDS, NO_END: COUNTS_ENDS, BOTH_ENDS: COUNTS_NONE}, alike=True,
    slips=by_slips_of_the_calendar,
)  # fmt: skip
def days_between(prompt: str) -> Mapping[str, Value]:
    """The days from the first of two dates to the other."""
    dates = dates_in(prompt)
    if len(dates) != 2 or re.search(_NOT_SO, prompt, re.IGNORECASE) or _OWN_YEARS.search(prompt):
        return {}
    if not re.search(_ALL_DAYS, prompt, re.IGNORECASE) and re.search(_SOME_DAYS, prompt, re.IGNORECASE):
        return {}
    return _by_ends(abs((dates[1] - dates[0]).days))


@opinion("the day of the week", r"\b(?:day of the week|which weekday|what weekday|what day was|which day of)\b")
def weekday(prompt: str) -> Mapping[str, Value]:
    """The weekday of the one date of a prompt."""
    dates = dates_in(prompt)
    is_moved = _SPAN.search(prompt) or re.search(r"\b\d+[- ](?:day|week|month|year)s?\b", prompt, re.IGNORECASE)
    return {"the calendar": WEEKDAYS[dates[0].weekday()]} if len(dates) == 1 and not is_moved else {}


@opinion("a date so many days away", _SPAN.pattern)
def days_away(prompt: str) -> Mapping[str, Value]:
    """The date so many days or weeks after or before the one of a prompt."""
    dates, spans = dates_in(prompt), _SPAN.findall(prompt)
    if len(dates) != 1 or len(spans) != 1 or re.search(r"\b(?:business|working|work) ?days?\b", prompt, re.IGNORECASE):
        return {}
    count, unit, where = spans[0]
    sign = -1 if where.casefold() in ("before", "earlier", "prior") else 1
    return {"the calendar": dates[0] + sign * int(count) * _SPANS[unit.casefold()]}


@opinion("the local time in another city", r"\b(?:time zone|local time|what time|clocks?)\b")
def time_elsewhere(prompt: str) -> Mapping[str, Value]:
    """What clocks in one of two cities show when they show a time in the other, on the one date of a prompt."""
    dates, times, cities = dates_in(prompt), _TIME.findall(prompt), cities_in(prompt)
    if len(dates) != 1 or len(times) != 1 or len(cities) != 2 or int(times[0][0]) > 23 or _OWN_ZONES.search(prompt):
        return {}
    here = datetime.combine(dates[0], time(int(times[0][0]), int(times[0][1])))
    return {
        "from the first of the two cities": _there(here, *cities),
        "from the second of the two cities": _there(here, *cities[::-1]),
    }


def _there(here: datetime, one: str, other: str) -> time:
    try:
        return here.replace(tzinfo=ZoneInfo(zone_of(one))).astimezone(ZoneInfo(zone_of(other))).time()
    except ZoneInfoNotFoundError:  # no database of time zones on this machine
        return here.time()


@opinion("the time between two moments", _ASKS_UNIT)
def time_between(prompt: str) -> Mapping[str, Value]:
    """The minutes or the hours from one moment with its date to another; clocks may have been changed meanwhile."""
    dates, times = dates_in(prompt), _TIME.findall(prompt)
    units = {unit.casefold() for unit in re.findall(_ASKS_UNIT, prompt, re.IGNORECASE)}
    if len(dates) != 2 or len(times) != 2 or len(units) != 1 or _OWN_COUNT.search(prompt) or len(cities_in(prompt)) > 1:
        return {}
    first, last = (
        datetime.combine(day, time(int(hour), int(minute))) for day, (hour, minute) in zip(dates, times, strict=True)
    )
    hours, unit = abs(last - first) / _HOUR, units.pop()
    if unit == "hours":
        rounded = {"in full hours": float(floor(hours)), "in hours that have begun": float(ceil(hours))}
        return {"the calendar": hours, **rounded, "an hour less": hours - 1, "an hour more": hours + 1}
    ways = {"the calendar": hours, "an hour less": hours - 1, "an hour more": hours + 1}
    return {way: round(value * 60.0, 6) for way, value in ways.items()}


@opinion("a weekday of a month", _NTH.pattern)
def nth_weekday(prompt: str) -> Mapping[str, Value]:
    """The first, second, third, fourth or last such weekday of the one month of a prompt, as a date or as its day."""
    months = {(day.year, day.month) for day in dates_in(prompt)}
    months |= {(int(year), MONTHS.index(name.capitalize()) + 1) for name, year in _MONTH.findall(prompt)}
    asked = set(_NTH.findall(prompt))
    if len(months) != 1 or len(asked) != 1 or _SPAN.search(prompt) or re.search(_BESIDE, prompt, re.IGNORECASE):
        return {}
    (nth, name), (year, month) = asked.pop(), months.pop()
    place, wanted = (
        next(number for number, words in enumerate(table) if re.fullmatch(words, word, re.IGNORECASE))
        for table, word in ((_ORDINALS, nth), (_DAYS, name))
    )
    numbers = range(1, monthrange(year, month)[1] + 1)
    days = [day for number in numbers if (day := date(year, month, number)).weekday() == wanted]
    found = days[-1 if place == len(_ORDINALS) - 1 else place]
    return {"the calendar": found, "the day of the month": float(found.day)}


@opinion("leap years", r"\bleap year\b")
def leap_year(prompt: str) -> Mapping[str, Value]:
    """Whether the one year of a prompt is a leap year."""
    years = re.findall(r"(?<![\d.,])([12]\d{3})(?![\d.,]*\d)", prompt)
    return {"the calendar": "yes" if isleap(int(years[0])) else "no"} if len(years) == 1 else {}


@opinion(
    "the number of the week",
    rf"{_WEEK}|\bweek\b[^.?]{{0,30}}\b(?:of the year|in the year|ISO)\b|\bISO[- ](?:8601 )?week",
    {"counting": r"\bISO\b|\bKalenderwoche\b"},
)  # fmt: skip
def week_number(prompt: str) -> Mapping[str, Value]:
    """The week of the year of the one date of a prompt."""
    dates = dates_in(prompt)
    if len(dates) != 1 or _SPAN.search(prompt):
        return {}
    (day,), begin = dates, date(dates[0].year, 1, 1)
    by_monday, by_sunday = float(day.strftime("%W")), float(day.strftime("%U"))
    return {
        "ISO 8601": float(day.isocalendar().week),
        "counting from the first Monday": by_monday,
        "counting from the first Sunday": by_sunday,
        "counting from the week of 1 January, by Mondays": by_monday + (begin.strftime("%W") == "00"),
        "counting from the week of 1 January, by Sundays": by_sunday + (begin.strftime("%U") == "00"),
        "counting seven days from 1 January": float((day - begin).days // 7 + 1),
    }


@opinion(
    "the day of the year", r"\b(?:day of the year|ordinal date|day number|julian day|tag des jahres|jour de l'année|"
    r"día del año)\b|\bwhich day of \d{4}\b",
)  # fmt: skip
def day_of_year(prompt: str) -> Mapping[str, Value]:
    """The number of the one date of a prompt in its year."""
    dates = dates_in(prompt)
    return {"the calendar": float(dates[0].timetuple().tm_yday)} if len(dates) == 1 and not _SPAN.search(prompt) else {}


@opinion("the quarter of the year", r"\b(?:quarter|quartal|trimestre)\b")
def quarter(prompt: str) -> Mapping[str, Value]:
    """The quarter of the one date of a prompt, if years begin in January."""
    dates = dates_in(prompt)
    if len(dates) != 1 or _SPAN.search(prompt) or re.search(r"\b(?:fiscal|financial|tax)\b", prompt, re.IGNORECASE):
        return {}
    return {"the calendar": float((dates[0].month + 2) // 3)}


@opinion("the days of a month", r"\bhow many days\b[^.?]{0,20}\b(?:has|have|in|does)\b")
def days_of_month(prompt: str) -> Mapping[str, Value]:
    """How many days the one month of a prompt has."""
    months = {(int(year), MONTHS.index(name.capitalize()) + 1) for name, year in _MONTH.findall(prompt)}
    if len(months) != 1 or dates_in(prompt):
        return {}
    return {"the calendar": float(monthrange(*months.pop())[1])}


OF_DATES = (
    days_between, time_between, nth_weekday, weekday, days_away, time_elsewhere, leap_year, week_number, day_of_year,
    quarter, days_of_month,
)  # fmt: skip
