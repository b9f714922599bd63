"""Exact numbers of a prompt, and the formulas by which what it asks for may follow from them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import floor
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_PLAYED = 6
"""On how many rows a value is tried in place of gold."""

NUMBER = regex(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\d\w])|(?<![\w.,])\d+(?:[.,]\d+)*(?=[€$%£])")
Formula = Callable[..., Fraction]
OF_TWO: tuple[Formula, ...] = (
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a * b / 100,
    lambda a, b: a * 100 / b,
    lambda a, b: a * (100 + b) / 100,
    lambda a, b: a * (100 - b) / 100,
    lambda a, b: a * 100 / (100 + b),
    lambda a, b: (a - b) * 100 / b,
    lambda a, b: a * 100 / (a + b),
)
OF_THREE: tuple[Formula, ...] = (
    lambda a, b, c: a * b / c,
    lambda a, b, c: a * b * c / 100,
    lambda a, b, c: a * b * (100 + c) / 100,
    lambda a, b, c: a * b * (100 - c) / 100,
)
"""How the value that is asked for may follow from numbers of the prompt, beside the mean of all of them."""


@dataclass(frozen=True, slots=True)
class WorkedRow:
    """One prompt: its numbers, the number of its gold, and how that is written."""

    row: int
    prompt: str
    numbers: tuple[Fraction, ...]
    gold: Fraction
    written: str

    @property
    def places(self) -> int:
        """The digits behind the decimal sign of gold."""
        return len(re.split(r"[.,]", self.written)[1]) if re.fullmatch(r"\d+[.,]\d+", self.written) else 0

    def units(self, value: Fraction) -> Fraction:
        """A value in units of gold's last place."""
        return value * Fraction(10**self.places)

    def rounded(self, value: Fraction) -> int:
        """The whole units of a value."""
        return floor(self.units(value) + Fraction(1, 2))

    def spelled(self, value: Fraction) -> str:
        """A value rounded as gold is written."""
        whole, rest = divmod(self.rounded(value), 10**self.places)
        point = "," if "," in self.written else "."
        return f"{whole}{point}{rest:0{self.places}}" if self.places else str(whole)


def decimals_have_commas(prompts: Iterable[str]) -> bool:
    """Whether no number of the prompts has a point, so that a comma in one is that of decimals."""
    return not any("." in number for prompt in prompts for number in NUMBER.findall(prompt))


def fraction_of(number: str, comma: bool) -> Fraction:
    """A number with a decimal comma or a decimal point."""
    plain = number.replace(".", "").replace(",", ".", 1) if comma else number.replace(",", "")
    return Fraction(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else Fraction(0)


def mean_of_all(*numbers: Fraction) -> Fraction:
    """The mean of numbers."""
    return sum(numbers, Fraction(0)) / len(numbers)


def sum_of_all(*numbers: Fraction) -> Fraction:
    """Their sum."""
    return sum(numbers, Fraction(0))


def worked_out(formula: Formula, numbers: Sequence[Fraction]) -> Fraction | None:
    """The value by a formula; None where it divides by zero."""
    try:
        return formula(*numbers)
    except ZeroDivisionError:
        return None


def gold_number(written: str, comma: bool) -> Fraction:
    """The number of a gold; a comma may be its decimal sign only where the prompts have no points in numbers."""
    return fraction_of(written, "," in written and "." not in written and comma)


def formulas(count: int, of_all: Sequence[Formula] = (mean_of_all,)) -> Iterator[tuple[Formula, tuple[int, ...]]]:
    """Each formula with the places of the numbers that it takes, of so many."""
    yield from ((formula, tuple(range(count))) for formula in of_all)
    yield from ((formula, places) for formula in OF_TWO for places in permutations(range(count), 2))
    yield from ((formula, places) for formula in OF_THREE for places in permutations(range(count), 3))


def given_numbers(known: Sequence[Gold]) -> dict[int, str]:
    """By row, the one number among the arguments of gold's last call, all written with as many decimals."""
    given = {gold.row: [one for one in gold.calls[-1][1].values() if _is_number(one)] for gold in known if gold.calls}
    found = {row: str(numbers[0]) for row, numbers in given.items() if len(numbers) == 1}
    places = max((len(one.partition(".")[2]) for one in found.values()), default=0)
    return {row: f"{Decimal(one):.{places}f}" for row, one in found.items()}


def refused_instead(subject: Subject, wrong: Sequence[tuple[WorkedRow, Fraction]]) -> tuple[str, Episode] | None:
    """The first answer with a value in place of gold, and its episode, if all that are tried are refused."""
    known = golds(subject)
    tried = [(one, *_instead(known[one.row], one.written, one.spelled(value))) for one, value in wrong[:MOST_PLAYED]]
    episodes = play_answers(subject, [(one.row, turns) for one, _, turns in tried])
    refused = episodes and all(loses_half(subject, episode) for episode in episodes)
    return (tried[0][1], episodes[0]) if refused else None


def _instead(gold: Gold, written: str, other: str) -> tuple[str, list[Any]]:
    """The number that is answered in place of gold's, and gold with it in its text or in its last call."""
    if written in gold.text:
        text = gold.text.replace(written, other)
        return text, [*gold.turns[:-1], text]
    turns = deepcopy(gold.turns)
    given = functions_of(turns)[-1]["arguments"]
    for name, value in given.items():
        if _is_number(value):
            given[name] = other if isinstance(value, str) else float(other) if "." in other else int(other)
    return other, turns


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and re.fullmatch(r"\d{1,12}(?:\.\d{1,12})?", str(value)) is not None
