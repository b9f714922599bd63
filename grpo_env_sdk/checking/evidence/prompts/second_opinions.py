"""Answers that are worked out from a prompt alone, for questions of a few plain kinds: dates, counts, lists, sums."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time

from grpo_env_sdk.checking.evidence.prompts.asked_dates import dates_in, with_date
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.late_patterns import regex

Value = float | str | date | time | tuple[str, ...]
"""What an answer says: a number, words, a day, a time of day, or items in their order."""
_NUMBER = regex(r"(?<![\w.])[-\u2212]?(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?(?!\w)")
_CLOCK = regex(r"(?<!\d)(\d{1,2}):(\d\d)(?!\d)")
_ITEM = regex(r"[^\s,;|\[\]\"'>]+(?: [^\s,;|\[\]\"'>]+)*|\"[^\"]*\"")
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Opinion:
    """One kind of question: which prompts ask it, and the answers to it, by how the question may be read."""

    name: str
    asked: re.Pattern[str]
    readings: Callable[[str], Mapping[str, Value]]
    against: Mapping[str, re.Pattern[str]]
    """By reading, the words of a prompt that rule it out."""
    alike: bool = False
    """Whether prompts in the same words have the same reading, as where ends are counted or not."""
    with_tools: bool = False
    """Whether it may be asked where tools help to work it out, as nothing that they reply can change it."""
    slips: Callable[[str], Mapping[str, Mapping[str, Value]]] = lambda prompt: {}
    """By what gold then has, and by reading, what comes of usual slips that the words of the prompt do not allow."""


def opinion(
    name: str,
    asked: str,
    against: Mapping[str, str] | None = None,
    alike: bool = False,
    with_tools: bool = False,
    slips: Callable[[str], Mapping[str, Mapping[str, Value]]] = lambda prompt: {},
) -> Callable[..., Opinion]:
    """Turn a function from a prompt to its readings into an opinion; days and times that do not exist have none."""
    out = {reading: regex(words, re.IGNORECASE) for reading, words in (against or {}).items()}

    def of(readings: Callable[[str], Mapping[str, Value]]) -> Opinion:
        def possible(prompt: str) -> Mapping[str, Value]:
            with suppress(ValueError, OverflowError):
                return readings(prompt)
            return {}

        return Opinion(name, regex(asked, re.IGNORECASE), possible, out, alike, with_tools, slips)

    return of


def agrees_with(answer: str, value: Value) -> bool:
    """Whether an answer says a value: numbers to the places that are written, items in their order."""
    if isinstance(value, float):
        numbers = _NUMBER.findall(answer)
        return len(numbers) == 1 and abs(number_of(numbers[0]) - value) <= _half_a_place(numbers[0]) + _EPSILON * abs(
            value
        )
    if isinstance(value, tuple):
        return tuple(map(bare, _ITEM.findall(answer))) == tuple(map(bare, value))
    if isinstance(value, time):
        found = _CLOCK.findall(answer)
        return len(found) == 1 and (int(found[0][0]), int(found[0][1])) == (value.hour, value.minute)
    if isinstance(value, date):
        return dates_in(answer) == [value]
    return bare(answer) == bare(value)


def readable(answer: str, value: Value) -> bool:
    """Whether an answer is of the kind of a value, so that it may be compared with it."""
    if isinstance(value, float):
        return len(_NUMBER.findall(answer)) == 1
    if isinstance(value, tuple):
        return len(_ITEM.findall(answer)) > 1
    if isinstance(value, time):
        return len(_CLOCK.findall(answer)) == 1
    return len(dates_in(answer)) == 1 if isinstance(value, date) else bool(bare(answer))


def instead(answer: str, value: Value) -> str | None:
    """An answer with another value, written as this one is; None where it is not clear how."""
    if isinstance(value, float):
        found = _NUMBER.search(answer)
        places = len(found.group().partition(".")[2]) if found else 0
        return found and f"{answer[: found.start()]}{value:.{places}f}{answer[found.end() :]}"
    if isinstance(value, tuple):
        items = list(_ITEM.finditer(answer))
        if len(items) < 2:
            return None
        between = answer[items[0].end() : items[1].start()]
        return answer[: items[0].start()] + between.join(value) + answer[items[-1].end() :]
    if isinstance(value, time):
        return _CLOCK.sub(f"{value:%H:%M}", answer)
    return with_date(answer, value) if isinstance(value, date) else value


def number_of(text: str) -> float:
    """The number of a text that `_NUMBER` found."""
    return float(text.replace(",", "").replace("\u2212", "-"))


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, in order."""
    return [number_of(found) for found in _NUMBER.findall(text)]


def _half_a_place(text: str) -> float:
    return 0.5 * 10.0 ** -len(text.partition(".")[2])
