"""A gold answer that is not in the form that its prompt asks for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.late_patterns import regex

COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a single": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "deux": 2, "trois": 3, "quatre": 4,
    "dos": 2, "tres": 3, "cuatro": 4, "due": 2, "tre": 3, "duas": 2, "três": 3,
}  # fmt: skip
"""Number words of a few languages."""
COUNT_WORDS = "|".join(sorted(COUNTS, key=len, reverse=True))
"""A pattern of these, the longest first."""
_WRAPPED = regex(r"(?<=[^\n]{40})(?<=[\w,])\n(?=[a-z])")


@dataclass(frozen=True, slots=True)
class BrokenForm:
    """What a prompt asks for in its own words, and gold in that form where it can be written so.

    It asks for nothing where gold is only unlike what is shown.
    """

    asked: str
    written: tuple[str, ...] = ()


def sentences_of(prompt: str) -> Iterator[str]:
    """The sentences and lines of a prompt."""
    yield from (part for part in re.split(r"(?<=[.!?])\s+|\n|(?<=[\u3002\uff01\uff1f\u061f])", prompt) if part.strip())


def unwrapped(prompt: str) -> str:
    """A prompt without the line breaks inside of its sentences, which long lines have that end with a word."""
    return _WRAPPED.sub(" ", prompt)


def count_of(word: str) -> int:
    """The number that a word or digits name; 0 for others."""
    return int(word) if word.isdecimal() else COUNTS.get(word.casefold(), 0)


def only(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The one place in a text that a pattern matches; None where there are several."""
    found = list(pattern.finditer(text))
    return found[0] if len(found) == 1 else None


def put(text: str, found: re.Match[str], value: str) -> str:
    """A text with a value in a place of it."""
    kept = found.group()[len(found.group().rstrip()) :]
    return text[: found.start()] + value + kept + text[found.end() :]
