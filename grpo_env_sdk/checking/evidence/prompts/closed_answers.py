"""All answers that there can be to a prompt, where it asks for one of a few known values."""

import re
from collections.abc import Callable, Sequence

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTHS, WEEKDAYS
from grpo_env_sdk.late_patterns import regex

_TIME = regex(r"(?<![\d:])(\d{1,2}):(\d\d)(?![\d:])")
_SHOWN = r"(?:such as|e\.g\.?,?|like|for example|for instance|format|form) [`'\"]?"
_ASKS = r"\b(?:which|what|name an?|find an?)\b[^.?!\n]{0,40}\b"
_ASKS_TIME = regex(rf"{_ASKS}(?:hour|time)\b|{_SHOWN}\d{{1,2}}:\d\d", re.IGNORECASE)
_FULL_HOUR = regex(r"\b(?:full|whole|on the) hours?\b|o'clock", re.IGNORECASE)
_ASKS_DAY = regex(rf"{_ASKS}(?:weekday|day of the week|day)\b", re.IGNORECASE)
_ASKS_MONTH = regex(rf"{_ASKS}month\b", re.IGNORECASE)
_BETWEEN = regex(
    r"\b(?:number|integer|digit|position|place|seat|room|slot|value)s?\b[^.?!\n]{0,30}"
    r"\b(?:between|from) (\d+) (?:and|to) (\d+)\b",
    re.IGNORECASE,
)
_QUOTED = regex(r"[`'\"]([^`'\"\n]{1,20})[`'\"]")
NONE_FITS = ("none", "None", "no", "There is none.", "impossible", "-", "0")
MOST_NUMBERS = 101


def closed_answers(prompts: Sequence[str]) -> tuple[str, list[str]]:
    """What the answers to all these prompts are, and all of them; nothing where it is not known."""
    quoted = [text for text in dict.fromkeys(_QUOTED.findall(prompts[0])) if all(text in one for one in prompts)][:8]
    for what, asked, answers in (
        ("time of the day", _ASKS_TIME, _times), ("day of the week", _ASKS_DAY, _listed(WEEKDAYS)),
        ("month", _ASKS_MONTH, _listed(MONTHS)), ("number in its range", _BETWEEN, _numbers),
    ):  # fmt: skip
        if all(asked.search(prompt) for prompt in prompts) and (found := answers(prompts)):
            return what, [*found, *(text for text in quoted if text not in found)]
    return "", []


def _listed(values: Sequence[str]) -> Callable[[Sequence[str]], list[str]]:
    """The values, where prompts name some of them."""
    return lambda prompts: list(values) if all(any(value in one for value in values) for one in prompts) else []


def _times(prompts: Sequence[str]) -> list[str]:
    """The full hours where prompts ask for one, or else the quarters, written as in the example of the prompt."""
    shown = [found for prompt in prompts for found in _TIME.findall(prompt)]
    if not shown:
        return []
    full = all(_FULL_HOUR.search(prompt) for prompt in prompts)
    if not full and any(int(minutes) % 15 for _, minutes in shown):
        return []
    padded = any(hour.startswith("0") for hour, _ in shown)
    minutes = ("00",) if full else ("00", "15", "30", "45")
    return [f"{hour:02d}:{minute}" if padded else f"{hour}:{minute}" for hour in range(24) for minute in minutes]


def _numbers(prompts: Sequence[str]) -> list[str]:
    ranges = {found.groups() for prompt in prompts if (found := _BETWEEN.search(prompt))}
    first, last = (int(one) for one in next(iter(ranges)))
    few = len(ranges) == 1 and 0 < last - first < MOST_NUMBERS
    return [str(number) for number in range(first, last + 1)] if few else []
