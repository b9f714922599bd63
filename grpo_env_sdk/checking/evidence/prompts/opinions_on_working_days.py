"""What questions about working days have as their answers."""

import re
from collections.abc import Mapping
from datetime import date, timedelta

from grpo_env_sdk.checking.evidence.prompts.asked_dates import dates_in
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, opinion
from grpo_env_sdk.late_patterns import regex

FRIDAY, SATURDAY, SUNDAY = 4, 5, 6
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty"
_VALUES = dict(zip(_NUMBERS.split(), (*range(1, 13), 15, 20, 30), strict=True))
_SPAN = regex(
    rf"\b(\d{{1,3}}|{_NUMBERS.replace(' ', '|')})[ -](?:working|business|work|arbeits)[ -]?(?:days?|tagen?)\b",
    re.IGNORECASE,
)
_BEFORE = regex(r"\b(?:before|prior|earlier|ago|preceding|back|vor)\b", re.IGNORECASE)
_FIRST = regex(r"\b(?:inclusive|includ\w+|itself|counts? as|starting (?:on|with))\b", re.IGNORECASE)
_OF_RULES = regex(
    r"\b(?:unless|except\w*|if|cut-?off|noon|o'clock|half|overtime|bridge days?|closed|shutdown|plus|then|"
    r"calendar days?|weeks?|months?)\b|\d:\d\d",
    re.IGNORECASE,
)
"""Words of rules that move the day."""
_HOLIDAYS = regex(r"holidays?|feiertage?", re.IGNORECASE)
_NO_HOLIDAYS = regex(
    r"\b(?:ignor\w+|disregard\w*|no|without|not|never mind|leave out|ohne|keine)\b[^.;:]{0,30}(?:holidays?|feiertage?)",
    re.IGNORECASE,
)
_MONDAY_TO_FRIDAY = (
    r"\bmon(?:day)?s?\W{0,3}(?:to|through|till|until|-|\u2013)\W{0,3}fri(?:day)?s?\b|\bmontags? bis freitags?\b|"
    r"\b(?:weekends?|saturdays? (?:and|or) sundays?) (?:do|does|are|is)(?:n't| not)\b|"
    r"\b(?:not count\w*|skip\w*|exclud\w*|without|omit\w*|ignor\w*) (?:\w+ )?"
    r"(?:weekends?|saturdays? (?:and|or) sundays?)\b|"
    r"\b(?:neither|no) saturdays? (?:n?or|and) sundays?\b"
)


@opinion(
    "a date so many working days away",
    _SPAN.pattern,
    {"counting Saturdays": _MONDAY_TO_FRIDAY, "counting every day": _MONDAY_TO_FRIDAY},
    with_tools=True,
)
def working_days_away(prompt: str) -> Mapping[str, Value]:
    """The date so many working days after or before the one of a prompt, which itself is not counted."""
    days, spans = dates_in(prompt), _SPAN.findall(prompt)
    holidays = _HOLIDAYS.search(prompt) and not _NO_HOLIDAYS.search(prompt)
    if len(days) != 1 or len(spans) != 1 or holidays or _FIRST.search(prompt) or _OF_RULES.search(prompt):
        return {}
    count = int(_VALUES.get(spans[0].casefold(), spans[0]))
    step = -1 if _BEFORE.search(prompt) else 1
    return {
        "counting Monday to Friday": _away(days[0], count, step, FRIDAY),
        "counting Saturdays": _away(days[0], count, step, SATURDAY),
        "counting every day": _away(days[0], count, step, SUNDAY),
    }


def _away(day: date, count: int, step: int, last: int) -> date:
    """The day that is so many days away, of which those after this day of the week are not counted."""
    while count:
        day += timedelta(step)
        count -= day.weekday() <= last
    return day


OF_WORKING_DAYS = (working_days_away,)
