"""What questions about angles have as their answers: between the hands of a clock, and between two directions."""

import re
from collections.abc import Mapping

from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, numbers_in, opinion
from grpo_env_sdk.late_patterns import regex

_CLOCK = regex(r"(?<![\d:])(\d{1,2})[:.](\d\d)(?![\d:])")
_SMALLER = r"\b(?:smaller|smallest|acute|least|minimum|shorter|kleinere\w*|plus petit|menor)\b"
_LARGER = r"\b(?:larger|largest|greater|reflex|bigger|größere\w*|plus grand|mayor)\b"
_AGAINST = {"the smaller": _LARGER, "the larger": _SMALLER}


@opinion(
    "the angle between the hands of a clock", r"\bangles?\b(?s:.)*\bhands?\b|\bhands?\b(?s:.)*\bangles?\b", _AGAINST
)
def hands(prompt: str) -> Mapping[str, Value]:
    """The angles between the two hands at the one time of a prompt."""
    times = set(_CLOCK.findall(prompt))
    if len(times) != 1 or re.search(r"\bsecond hand\b|\bdoes not move\b|\bjumps?\b", prompt, re.IGNORECASE):
        return {}
    hour, minute = map(int, times.pop())
    return _between(30 * (hour % 12) + minute / 2, 6.0 * minute)


@opinion("the angle between two directions", r"\b(?:bearings?|headings?|courses?|azimuths?)\b", _AGAINST)
def directions(prompt: str) -> Mapping[str, Value]:
    """The angles between the two directions in degrees that a prompt has."""
    found = re.findall(r"(?<![\w.])(\d{1,3}(?:\.\d+)?) ?(?:°|degrees?\b|deg\b)", prompt, re.IGNORECASE)
    if len(found) != 2 or len(numbers_in(prompt.replace("°", " "))) != 2:
        return {}
    return _between(*map(float, found)) if re.search(_SMALLER, prompt, re.IGNORECASE) else {}


def _between(one: float, other: float) -> dict[str, Value]:
    apart = abs(one - other) % 360
    return {"the smaller angle": min(apart, 360 - apart), "the larger angle": max(apart, 360 - apart)}


OF_ANGLES = (hands, directions)
