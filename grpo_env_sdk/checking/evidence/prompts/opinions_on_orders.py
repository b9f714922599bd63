"""Which day a date of numbers is, where the prompt says whether the day or the month is first."""

import re
from collections.abc import Mapping
from datetime import date

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTHS, WEEKDAYS
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.cities import cities_in
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, opinion
from grpo_env_sdk.late_patterns import regex

_DATE = regex(r"(?<![\w.:/-])(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?![\w/-])")
_DAY = r"(?<![\w./-])(?:day ?[-./] ?month(?: ?[-./] ?year)?|DD?[-./]MM?(?:[-./]YYYY)?|TT\.MM(?:\.JJJJ)?)(?!\w)"
_MONTH = r"(?<![\w./-])(?:month ?[-./] ?day(?: ?[-./] ?year)?|MM?[-./]DD?(?:[-./]YYYY)?)(?!\w)"
_STYLE = r"(?: date)?[ -](?:format|style|order|notation|dates?|way)\b"
_ORDERS = {
    "DM": regex(
        rf"{_DAY}|\bday (?:comes )?(?:first|before (?:the )?month)\b|\b(?:British|European|UK|German|French){_STYLE}",
        re.I,
    ),
    "MD": regex(rf"{_MONTH}|\bmonth (?:comes )?(?:first|before (?:the )?day)\b|\b(?:US|American){_STYLE}", re.I),
}
_RESULT = regex(r"\b(?:to|into|as|in|use|using|with)(?: (?:the|a|an))?(?: form(?:at)?)?:? ?['\"`(]?$", re.IGNORECASE)
_GIVEN = regex(
    r"\b(?:given|written|noted|dated|printed|shown|stored|come|is|are)(?: here)? (?:as|in|with|to)(?: the)? ?['\"`(]?$",
    re.IGNORECASE,
)
_MAY_TELL = regex(
    r"\b(?:British|European|UK|German|French|US|USA|American|countr\w+|locale|styles?|formats?|notation|order|"
    rf"(?:day|month) (?:comes |is )?first|{'|'.join((*WEEKDAYS, *MONTHS))})\b",
    re.IGNORECASE,
)
"""Words that may say in which order a date is written."""
OPEN_DATE = regex(r"(?<![\w.:/-])(\d{1,2})([-/])(\d{1,2})\2(\d{4})(?![\w/-])")
"""A date in figures with a sign between them that tells no order."""
_PLACES = regex(
    r"[€£$₹¥]|\b(?:euros?|pounds?|dollars?|francs?|rupees?|yen|postcodes?|zip|[A-Z][a-z]+(?:ish|ese|ian|ean)|Dutch|Irish|"
    r"England|Britain|UK|Ireland|Germany|France|Spain|Italy|Netherlands|Canada|India|Australia|America|States|Europe)\b"
)
_ENGLISH = regex(r"\b(?:the|which|what|how|and)\b", re.IGNORECASE)
_ELSEWHERE = regex(
    r"\b(?:days?|weeks?|months?|years?) (?:after|before|later|earlier|from|prior)\b(?! (?:the )?(?:day|month)\b)",
    re.IGNORECASE,
)


def may_tell_order(prompt: str) -> bool:
    """Whether anything in a prompt may say in which order its dates are written: words, places, or its language."""
    return bool(
        _MAY_TELL.search(prompt)
        or _orders(prompt)
        or _PLACES.search(prompt)
        or cities_in(prompt)
        or not _ENGLISH.search(prompt)
    )


@opinion("a date whose order the prompt names", _DATE.pattern)
def date_in_order(prompt: str) -> Mapping[str, Value]:
    """The one date of a prompt, in the order of day and month that its words name."""
    dates, orders = list(_DATE.finditer(prompt)), _orders(prompt)
    if len(dates) != 1 or len(orders) != 1 or _ELSEWHERE.search(prompt):
        return {}
    first, _, second, year = dates[0].groups()
    order = orders.pop()
    day, month = (first, second) if order == "DM" else (second, first)
    try:
        read = date(int(year), int(month), int(day))
    except ValueError:
        return {}
    return {f"{'the day' if order == 'DM' else 'the month'} first": read}


@opinion("a date whose order no prompt names", _DATE.pattern, alike=True)
def date_in_some_order(prompt: str) -> Mapping[str, Value]:
    """The one date of a prompt by each order of day and month, where nothing is said of an order."""
    dates = list(_DATE.finditer(prompt))
    if (
        len(dates) != 1
        or dates[0][2] == "."
        or _ELSEWHERE.search(prompt)
        or _MAY_TELL.search(prompt)
        or _orders(prompt)
    ):
        return {}
    first, second, year = (int(dates[0][place]) for place in (1, 3, 4))
    found = {"the day first": (second, first), "the month first": (first, second)}
    return {name: date(year, *both) for name, both in found.items() if 0 < both[0] <= 12 and 0 < both[1] <= 28}


def _orders(prompt: str) -> set[str]:
    """The orders that a prompt names for what it gives, and not for what it asks for."""
    found = set()
    for sentence in sentences_of(prompt):
        for order, words in _ORDERS.items():
            for said in words.finditer(sentence):
                before = sentence[: said.start()]
                if not _RESULT.search(before) or _GIVEN.search(before):
                    found.add(order)
    return found
