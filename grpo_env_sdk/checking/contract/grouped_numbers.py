"""Whether gold is worked out from numbers such as 1,500 or 1.500 as the prompt means them: as thousands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    Formula,
    WorkedRow,
    formulas,
    refused_instead,
    sum_of_all,
    worked_out,
)
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.prompts.english import in_english
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_RIGHT, FEWEST_WRONG, FEWEST_ANSWERS, LEAST, MOST_NUMBERS = 6, 3, 3, 10, 6
"""On how many rows gold has to follow, and on how many otherwise, with how many different answers; how many units of
its last place it has on most of the rows on which it follows, and of how many numbers it may be worked out."""
_OF_DECIMALS = regex(
    r"\bdecimal (?:comma|point)\b|\b(?:comma|point)s? (?:is|are|as) (?:the |a |that of )*decimal|"
    r"\bdecimals? (?:\w+ ){1,4}(?:comma|point)s?\b",
    re.IGNORECASE,
)
"""What a prompt says that names the sign of decimals."""
_BESIDE = regex(r"(?P<word>[^\W\d_]+)\W{0,2}\Z")
_BEHIND = regex(r"\W{0,2}(?P<word>[^\W\d_]+(?:/[^\W\d_]+)?|%)")


@dataclass(frozen=True, slots=True)
class _Signs:
    """What parts groups of three digits, and what stands before decimals."""

    group: str
    decimal: str

    def are_grouped(self, number: str) -> bool:
        """Whether a number is written with groups."""
        digits = rf"[1-9]\d{{0,2}}(?:{re.escape(self.group)}\d{{3}})+"
        return re.fullmatch(rf"{digits}(?:{re.escape(self.decimal)}\d+)?", number) is not None

    def value(self, number: str) -> Fraction | None:
        """What a number is; None where it is not written in this way."""
        if self.group in number and not self.are_grouped(number):
            return None
        plain = number.replace(self.group, "").replace(self.decimal, ".")
        return Fraction(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else None

    def misread(self, number: str) -> Mapping[str, Fraction]:
        """What a number with groups is taken for by code that does not expect them."""
        first, *others = number.partition(self.decimal)[0].split(self.group)
        found = {"it ended at the sign": Fraction(first), "it began behind the sign": Fraction(others[-1])}
        if len(others) == 1 and self.decimal not in number:
            found["the sign were that of decimals"] = Fraction(f"{first}.{others[0]}")
        return found

    def are_of(self, prompts: Sequence[str], numbers: Sequence[str]) -> bool:
        """Whether numbers have these signs for certain: by others that can only be read so, or by their language."""
        if any(self.value(number) is None for number in numbers):
            return False
        decimals = re.compile(rf"\d+{re.escape(self.decimal)}(?!\d{{3}}\Z)\d+")
        certain = any(decimals.fullmatch(number) or number.count(self.group) > 1 for number in numbers)
        named = any(map(_OF_DECIMALS.search, prompts))  # which sign it is may then be another one than in English
        return certain or (self.group == "," and not named and all(map(in_english, prompts)))


_SIGNS = (_Signs(",", "."), _Signs(".", ","))


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    shown: tuple[str, ...]
    signs: _Signs

    def has_groups(self, places: Sequence[int]) -> bool:
        """Whether one of some numbers is written with groups."""
        return any(self.signs.are_grouped(self.shown[place]) for place in places)

    def read_as(self, how: str) -> "tuple[Fraction, ...] | None":
        """The numbers where those with groups are taken for something else; None where one cannot be."""
        found = [
            self.signs.misread(text).get(how) if self.signs.are_grouped(text) else number
            for text, number in zip(self.shown, self.numbers, strict=True)
        ]
        return None if None in found else tuple(one for one in found if one is not None)

    def follows(self, way: "Way", numbers: Sequence[Fraction] | None) -> bool:
        """Whether gold follows from numbers, however it is rounded."""
        value = None if numbers is None else worked_out(way[0], [numbers[place] for place in way[1]])
        return value is not None and abs(self.units(self.gold - value)) < 1


Way = tuple[Formula, tuple[int, ...]]


@check("C179", needs=("gold",), kinds=("single-turn",))
def groups_of_digits_are_thousands(subject: Subject) -> Iterator[Finding]:
    """Gold is worked out from numbers with groups of three digits as from all others."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    for signs in _SIGNS:
        numbers = [number for prompt in prompts.values() for number in NUMBER.findall(prompt)]
        if any(map(signs.are_grouped, numbers)) and signs.are_of(list(prompts.values()), numbers):
            rows = list(_rows(subject, prompts, signs))
            count = len(rows[0].numbers) if rows else 0
            if 0 < count <= MOST_NUMBERS:
                yield from _found(subject, rows, count)
                return


def _rows(subject: Subject, prompts: Mapping[int, str], signs: _Signs) -> Iterator[_Row]:
    """The rows with one number as gold, and the numbers that all their prompts have."""
    for row, shown in _shared({row: list(NUMBER.finditer(prompt)) for row, prompt in prompts.items()}).items():
        written = NUMBER.findall(golds(subject)[row].text)
        if len(written) != 1 or any(one.are_grouped(written[0]) for one in _SIGNS):
            continue
        if re.fullmatch(r"\d+(?:[.,]\d+)?", written[0]):
            gold = Fraction(written[0].replace(",", "."))
            numbers = tuple(signs.value(text) or Fraction(0) for text in shown)
            yield _Row(row, prompts[row], numbers, gold, written[0], shown, signs)


def _shared(found: Mapping[int, Sequence[re.Match[str]]]) -> dict[int, tuple[str, ...]]:
    """The numbers of each row: all, where all rows have as many, and else those beside a word that all have once."""
    if len({len(numbers) for numbers in found.values()}) == 1:
        return {row: tuple(one.group() for one in numbers) for row, numbers in found.items()}
    words = [_by_words(numbers) for numbers in found.values()]
    shared = [word for word in words[0] if all(word in one for one in words)] if words else []
    places = {tuple(one[word].start() for one in words): word for word in shared}
    return {
        row: tuple(one[word].group() for word in places.values())
        for row, one in zip(found, words, strict=True)
    }  # fmt: skip


def _by_words(numbers: Sequence[re.Match[str]]) -> dict[tuple[str, str], re.Match[str]]:
    """The numbers by the word before and by that behind, where only one of them has it there."""
    found: dict[tuple[str, str], list[re.Match[str]]] = {}
    for one in numbers:
        start, end = one.span()
        before = _BESIDE.search(one.string, max(0, start - 40), start)
        behind = _BEHIND.match(one.string, end)
        for side, word in (("before", before), ("behind", behind)):
            if word:
                found.setdefault((side, word["word"]), []).append(one)
    return {key: one[0] for key, one in found.items() if len(one) == 1}


def _ways(count: int) -> Iterator[Way]:
    yield from ((sum_of_all, (place,)) for place in range(count))
    yield from formulas(count)
    yield from ((formula, pair) for formula in (sum_of_all, _difference) for pair in permutations(range(count), 2))


def _difference(one: Fraction, other: Fraction) -> Fraction:
    return one - other


def _found(subject: Subject, rows: Sequence[_Row], count: int) -> Iterator[Finding]:
    """The finding, where gold follows on all rows but for those with groups, and on them from what they are not."""
    for way in _ways(count):
        wrong = [one for one in rows if one.has_groups(way[1])]
        right = [one for one in rows if not one.has_groups(way[1])]
        if not _are_enough(right, wrong) or not all(one.follows(way, one.numbers) for one in right):
            continue
        if any(one.follows(way, one.numbers) for one in wrong):
            return
        for how in wrong[0].signs.misread("1,000" if wrong[0].signs.group == "," else "1.000"):
            if all(one.follows(way, one.read_as(how)) for one in wrong):
                yield from _proven(subject, way, wrong, how, len(rows))
                return


def _are_enough(right: Sequence[_Row], wrong: Sequence[_Row]) -> bool:
    exact = sum(one.units(one.gold) >= LEAST for one in right)
    varied = all(len({one.gold for one in some}) >= FEWEST_ANSWERS for some in (right, wrong))
    return len(right) >= FEWEST_RIGHT and len(wrong) >= FEWEST_WRONG and varied and 2 * exact > len(right)


def _proven(subject: Subject, way: Way, wrong: Sequence[_Row], how: str, count: int) -> Iterator[Finding]:
    """The finding, where what follows from thousands is refused."""
    values = [worked_out(way[0], [one.numbers[place] for place in way[1]]) for one in wrong]
    refused = refused_instead(subject, [(one, value) for one, value in zip(wrong, values, strict=True) if value])
    if refused is None:
        return
    (text, episode), one = refused, wrong[0]
    number = next(one.shown[place] for place in way[1] if one.signs.are_grouped(one.shown[place]))
    yield Finding(
        f"Gold takes {number} for {float(one.signs.misread(number)[how]):g}, as if {how}, on all {len(wrong)} of "
        f"{count} rows with such numbers; on all others it follows from the numbers of the prompt. {quoted(text)} is "
        f"refused and scores {episode.reward:g}; gold is {quoted(one.written)}.",
        f"Take {one.signs.group!r} away before a number is read, and read {one.signs.decimal!r} as the decimal sign.",
        one.row, one.prompt[-600:], episode.reward, golds(subject)[one.row].reward,
    )  # fmt: skip
