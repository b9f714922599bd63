"""What a prompt says about rounding: in which direction, and to which step."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNTS, sentences_of
from grpo_env_sdk.late_patterns import regex

UP, DOWN, NEAREST = "up", "down", "to the nearest"
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "third": 3, "tenth": 10, "hundredth": 100}
_ROUND = r"\bround\w*(?: (?:it|them|this|that|the \w+))?"
_ASKED = {
    UP: (rf"{_ROUND} up\b", rf"{_ROUND} to the next\b(?! (?:lower|smaller|lowest))", r"\bup to the next\b",
         r"\b(?:each|every) (?:started|begun|commenced)\b"),
    DOWN: (rf"{_ROUND} (?:off )?down\b", r"\bdown to the (?:next|last)\b"),
    NEAREST: (rf"{_ROUND}[^.?!\n]{{0,40}}(?<!up )(?<!down )\bto the (?:nearest|closest)\b",
              rf"(?<!up )(?<!down )\bto the nearest(?= (?:{'|'.join(_PARTS)}|whole|integer|multiple|\d))"),
}  # fmt: skip
_COUNTED = {
    UP: (r"\bat least how many\b", r"\b(?:smallest|minimum|lowest|least|fewest) number of\b"),
    DOWN: (r"\bhow many (?:whole|full|complete|entire)\b",),
}
"""What asks for a whole number of things."""
_NOT = regex(r"\b(?:not|never|no|without|instead of|rather than)\b|n't\b", re.IGNORECASE)
_MOST_CHARS = 40
"""How far behind the direction a step is looked for."""
_WHOLE = {**COUNTS, "dozen": 12, "hundred": 100, "thousand": 1000}
_STEP = regex(
    rf"\b(?:(?P<places>\d|{'|'.join(COUNTS)}) (?:decimals?|decimal places?|places?|digits)|"
    rf"(?P<part>{'|'.join(_PARTS)})s?|(?P<whole>{'|'.join(_WHOLE)})s?|(?P<number>\d+(?:\.\d+)?))\b",
    re.IGNORECASE,
)
_SMALLER = ((r"\b(?:cents?|penny|pence|pennies|cm|centimet\w+)\b", 100), (r"\b(?:minutes?|seconds?)\b", 60),
            (r"\b(?:grams?|g|ml|mm|metres?|meters?)\b", 1000))  # fmt: skip
"""Units of which a larger one, in which an answer may be, has so many."""


def _half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


_ROUNDED: dict[str, Callable[[Fraction], int]] = {UP: ceil, DOWN: floor, NEAREST: _half_up}


@dataclass(frozen=True, slots=True)
class NamedRounding:
    """In which direction a prompt says that a number is rounded, and its step in the units that the answer may have."""

    how: str
    steps: tuple[Fraction, ...]


def named_rounding(prompt: str) -> NamedRounding | None:
    """The rounding that a prompt names; None where it names none, or several directions."""
    found = {
        how: (Fraction(1),) if asked is _COUNTED else _steps(sentence[match.end() : match.end() + _MOST_CHARS])
        for sentence in sentences_of(prompt)
        for asked in (_ASKED, _COUNTED)
        for how, patterns in asked.items()
        for pattern in patterns
        for match in re.finditer(pattern, sentence, re.IGNORECASE)
        if not _NOT.search(sentence[: match.start()])
    }
    return NamedRounding(*found.popitem()) if len(found) == 1 else None


def rounded(value: Fraction, how: str, step: Fraction) -> Fraction:
    """A number rounded to a multiple of a step in one of the three directions."""
    return _ROUNDED[how](value / step) * step


def is_rounded(gold: Fraction, value: Fraction, how: str, step: Fraction) -> bool:
    """Whether a number is another one rounded so; halves may go either way to the nearest."""
    return abs(gold - value) <= step / 2 if how == NEAREST else rounded(value, how, step) == gold


def _steps(text: str) -> tuple[Fraction, ...]:
    """The step that a text begins with, in its own unit and in larger ones."""
    found, step = _STEP.search(text), Fraction(1)
    if found and found["places"]:
        return (Fraction(1, 10 ** int(COUNTS.get(found["places"].casefold(), found["places"]))),)
    if found and found["part"]:
        step = Fraction(1, _PARTS[found["part"].casefold()])
    elif found:
        said = found["whole"] or found["number"]
        step = Fraction(_WHOLE.get(said.casefold(), said))
    return (step, *_in_other_units(text, step))


def _in_other_units(text: str, step: Fraction) -> Iterator[Fraction]:
    yield from (step / many for unit, many in _SMALLER if re.search(unit, text, re.IGNORECASE))
    if re.search(r"\bhours?\b", text, re.IGNORECASE):
        yield step * 60
