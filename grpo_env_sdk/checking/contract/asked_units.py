"""Whether gold is in the unit that is asked for on all rows, also where their prompts have other units."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.unnamed_units import UNIT_WORDS
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    WorkedRow,
    decimals_have_commas,
    fraction_of,
    gold_number,
    refused_instead,
)
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_RIGHT, FEWEST_WRONG, FEWEST_ANSWERS, MOST_NUMBERS, MOST_FACTORS, AGREED = 4, 3, 5, 5, 3, 0.3
"""On how many rows gold has to be in the unit that is asked, and on how many in another one; of how many numbers of
the prompt it is a product or a quotient; and the share of rows on which it has to be right."""
_SIZES = {
    "time": {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800},
    "length": {"millimetres": 1, "centimetres": 10, "metres": 1000, "kilometres": 1_000_000},
    "mass": {"grams": 1, "kilograms": 1000, "tonnes": 1_000_000},
    "volume": {"millilitres": 1, "litres": 1000},
    "money": {"cents": 1, "whole coins": 100},
}
_UNITS = {unit: (kind, Fraction(size)) for kind, sizes in _SIZES.items() for unit, size in sizes.items()}
_WORD = r"[^\W\d_]+"
_QUANTITY = rf"[ -]?(?P<noun>{_WORD})(?:(?: of {_WORD})? ?(?:/|\bper\b|\ban?\b|\beach\b|\bevery\b) ?(?P<per>{_WORD}))?"
_BEHIND = regex(_QUANTITY, re.IGNORECASE)
_ASKED = regex(rf"\bhow many(?: (?:full|whole|complete))?(?= ){_QUANTITY}", re.IGNORECASE)
_ASKED_IN = regex(rf"\bin (?P<noun>{_WORD})\b(?P<per>\b\B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a number is of: the powers of its kinds of units, and how many of the smallest units that is."""

    kinds: Mapping[str, int]
    size: Fraction
    words: str

    def to_the(self, sign: int) -> "Quantity":
        """The same, or one divided by it."""
        return self if sign > 0 else Quantity({kind: -power for kind, power in self.kinds.items()}, 1 / self.size, "")


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    quantities: tuple[Quantity, ...]
    asked: Quantity

    @property
    def words(self) -> tuple[str, ...]:
        return (*(one.words for one in self.quantities), self.asked.words)

    def is_of(self, formula: "Powers") -> bool:
        """Whether a product of powers is of the kind that is asked."""
        kinds: Counter[str] = Counter()
        for place, sign in formula:
            kinds.update(self.quantities[place].to_the(sign).kinds)
        return {kind: power for kind, power in kinds.items() if power} == dict(self.asked.kinds)

    def value(self, formula: "Powers") -> Fraction:
        """The product of the numbers as they are written."""
        value = Fraction(1)
        for place, sign in formula:
            value *= self.numbers[place] if sign > 0 else 1 / self.numbers[place]
        return value

    def factor(self, formula: "Powers") -> Fraction:
        """By what that has to be multiplied for the unit that is asked."""
        size = 1 / self.asked.size
        for place, sign in formula:
            size *= self.quantities[place].to_the(sign).size
        return size

    def is_gold(self, value: Fraction) -> bool:
        """Whether gold is a value, however it is rounded."""
        return abs(self.units(self.gold - value)) < 1


Powers = tuple[tuple[int, int], ...]
"""The places of numbers, and for each 1 where it is a factor and -1 where it divides."""


@check("C175", needs=("gold",), kinds=("single-turn",))
def gold_is_in_the_unit_that_is_asked(subject: Subject) -> Iterator[Finding]:
    """Gold is in the unit that is asked for, whatever units the numbers of the prompt have."""
    rows = list(_rows(subject))
    count = len(rows[0].numbers) if rows else 0
    if len(rows) < FEWEST_RIGHT + FEWEST_WRONG or len({one.gold for one in rows}) < FEWEST_ANSWERS:
        return
    if count > MOST_NUMBERS or len({one.words for one in rows}) < 2 or any(len(one.numbers) != count for one in rows):
        return
    for formula in _formulas(count):
        if all(one.is_of(formula) for one in rows) and (wrong := _wrong(rows, formula)):
            yield from _proven(subject, [(one, one.value(formula) * one.factor(formula)) for one in wrong], rows)
            return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows with a number as gold and one unit that is asked, if all are so."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = decimals_have_commas(prompts.values())
    for row, prompt in prompts.items():
        text = golds(subject)[row].text.strip()
        asked = {one.words: one for found in _asked(prompt) if (one := _quantity(found))}
        if not re.fullmatch(r"\d+(?:[.,]\d+)?", text) or len(asked) != 1:
            return
        found = [(number, _quantity(_BEHIND.match(prompt, number.end()))) for number in NUMBER.finditer(prompt)]
        numbers = tuple(fraction_of(number.group(), comma) for number, _ in found)
        if 0 in numbers:
            return
        quantities = tuple(one for _, one in found)
        yield _Row(row, prompt, numbers, gold_number(text, comma), text, quantities, *asked.values())


def _asked(prompt: str) -> Sequence[re.Match[str]]:
    """Where a prompt asks for something: how many of it, or else in which unit."""
    in_units = [found for found in _ASKED_IN.finditer(prompt) if _unit(found["noun"])]
    return list(_ASKED.finditer(prompt)) or in_units


def _quantity(found: re.Match[str] | None) -> Quantity:
    """What the words behind a number, or behind "how many", are of; "times" and no word at all are of nothing."""
    kinds: Counter[str] = Counter()
    size, words = Fraction(1), []
    for word, sign in ((found["noun"], 1), (found["per"], -1)) if found else ():
        if not word or word.casefold() == "times":
            continue
        kind, one = _UNITS.get(_unit(word)) or (word.casefold().removesuffix("s"), Fraction(1))
        kinds[kind] += sign
        size *= one if sign > 0 else 1 / one
        words.append(_unit(word) or kind)
    return Quantity(kinds, size, "/".join(words))


def _unit(word: str) -> str:
    """The unit of a word; empty where it is none."""
    return next((unit for unit in _UNITS if re.fullmatch(UNIT_WORDS[unit], word, re.IGNORECASE)), "")


def _formulas(count: int) -> Iterator[Powers]:
    for size in range(1, min(count, MOST_FACTORS) + 1):
        for places in combinations(range(count), size):
            for signs in product((1, -1), repeat=size):
                if 1 in signs:
                    yield tuple(zip(places, signs, strict=True))


def _wrong(rows: Sequence[_Row], formula: Powers) -> list[_Row]:
    """The rows whose gold is in another unit, if it is so on all rows with their units, and right on all others."""
    factors = {one.factor(formula) for one in rows} | {Fraction(1)}
    by_words: dict[tuple[str, ...], list[_Row]] = {}
    for one in rows:
        by_words.setdefault(tuple(one.quantities[place].words for place, _ in formula) + one.words[-1:], []).append(one)
    wrong: list[_Row] = []
    for group in by_words.values():
        own = group[0].factor(formula)
        if all(one.is_gold(one.value(formula) * own) for one in group):
            continue
        others = [factor for factor in factors if factor != own]
        if not any(all(one.is_gold(one.value(formula) * factor) for one in group) for factor in others):
            return []
        wrong += [one for one in group if not one.is_gold(one.value(formula) * own)]
    right = len(rows) - len(wrong)
    return wrong if len(wrong) >= FEWEST_WRONG and right >= max(FEWEST_RIGHT, AGREED * len(rows)) else []


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction]], rows: Sequence[_Row]) -> Iterator[Finding]:
    """The finding, where the value in the unit that is asked is refused."""
    refused = refused_instead(subject, wrong)
    if refused is None:
        return
    (text, episode), one = refused, wrong[0][0]
    yield Finding(
        f"Gold is not in the unit that is asked for ({one.asked.words}) on {len(wrong)} of {len(rows)} rows, whose "
        f"prompts have other units than the others: {quoted(text)} is refused and scores {episode.reward:g}; gold is "
        f"{quoted(one.written)}.",
        "Convert what is worked out into the unit for which the prompt asks, on all rows.",
        one.row, one.prompt[-600:], episode.reward, golds(subject)[one.row].reward,
    )  # fmt: skip
