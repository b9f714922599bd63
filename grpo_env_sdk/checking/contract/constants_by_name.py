"""Whether gold is worked out with the constant of what a row names, where prompts state several by name."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, product

from grpo_env_sdk.checking.check import check
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

FEWEST_RIGHT, FEWEST_WRONG, FEWEST_ANSWERS, MOST_NUMBERS, MOST_STATED = 4, 3, 3, 4, 12
"""On how many rows gold has the constant that the row names, and on how many that of another name; how many answers
these have, how many numbers a prompt has beside the constants, and how many constants."""
_CUT = regex(r"[,;.!?]\s|\n|\(|\b(?:and|while|but)\b", re.IGNORECASE)
_SENTENCE = regex(r"[.!?]\s|\n")
_WORDS = regex(r"[^\W\d_]+")
_SMALL = regex(
    r"\b(?:an?|the|one|each|every|per|is|are|of|in|on|at|to|for|by|with|has|have|its?|that|this)\b", re.IGNORECASE
)
_TURNED = regex(
    r"\b(?:not|no|non|never|neither|nor|except|without|instead|rather|than|unlike|other\w*)\b", re.IGNORECASE
)
"""Words by which a prompt may name what it does not mean."""
_FORMULAS: Sequence[Callable[[Fraction, Fraction], Fraction]] = (
    lambda number, constant: number * constant,
    lambda number, constant: number / constant,
)
Stated = tuple[tuple[str, ...], Fraction]
"""The words before a number in its part of a sentence, without small ones, and the number."""


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    stated: Mapping[Stated, str]
    rest: str

    @property
    def words(self) -> set[str]:
        """The words of the prompt beside what it states."""
        return set(_words(self.rest))

    def turns(self, names: set[str]) -> bool:
        """Whether a sentence that has one of the names may say that it is not meant."""
        return any(_TURNED.search(one) and names & set(_words(one)) for one in _SENTENCE.split(self.rest))

    def is_gold(self, value: Fraction) -> bool:
        """Whether gold is a value, however it is rounded."""
        return abs(self.units(self.gold - value)) < 1


@check("C177", needs=("gold",), kinds=("single-turn",))
def gold_has_the_constant_of_its_name(subject: Subject) -> Iterator[Finding]:
    """Gold is worked out with the constant that the prompt states for what the row is about."""
    rows = list(_rows(subject))
    groups = _by_name(rows)
    if len(groups) < 2:
        return
    counts = {len(one.numbers) for one in rows}
    if len(counts) > 1 or not 0 < max(counts) <= MOST_NUMBERS:
        return
    for formula, place in product(_FORMULAS, range(max(counts))):
        if wrong := _wrong(groups, formula, place):
            yield from _proven(subject, wrong, len(rows))
            return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows with a number as gold, with the numbers that are not the same in all prompts, if all are so."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = decimals_have_commas(prompts.values())
    read = {row: _stated(prompt, comma) for row, prompt in prompts.items()}
    shared = reduce(lambda one, other: one & other, map(set, read.values())) if read else set()
    shared = {one for one in shared if one[0] and one[1]}
    written = {row: gold.text.strip() for row, gold in golds(subject).items()}
    all_numbers = all(re.fullmatch(r"\d+(?:[.,]\d+)?", one) for one in written.values())
    for row, stated in read.items() if all_numbers and 1 < len(shared) <= MOST_STATED else ():
        numbers = tuple(number for words, number in stated if (words, number) not in shared)
        rest = reduce(lambda text, one: text.replace(stated[one], " "), shared, prompts[row])
        constants = {one: stated[one] for one in stated if one in shared}
        yield _Row(row, prompts[row], numbers, gold_number(written[row], comma), written[row], constants, rest)


def _stated(prompt: str, comma: bool) -> dict[Stated, str]:
    """Each number of a prompt with the words before it, and the text that they are."""
    found: dict[Stated, str] = {}
    start = 0
    for number in NUMBER.finditer(prompt):
        part = _CUT.split(prompt[start : number.start()])[-1]
        found[_words(part), fraction_of(number.group(), comma)] = part + number.group()
        start = number.end()
    return found


def _words(text: str) -> tuple[str, ...]:
    """The words of a text without small ones, several things by the word for one."""
    return tuple(word.removesuffix("s") for word in _WORDS.findall(_SMALL.sub(" ", text.casefold())))


def _by_name(rows: Sequence[_Row]) -> dict[Stated, list[_Row]]:
    """The rows by the one constant whose name they have; none where a row has no such name, or several, or all have."""
    stated = list(rows[0].stated) if rows else []
    in_all = set.intersection(*(set(words) for words, _ in stated)) if stated else set()
    everywhere = reduce(lambda one, other: one & other, [one.words for one in rows]) if rows else set()
    if any(set() < set(words) - in_all <= everywhere for words, _ in stated):
        return {}  # a rule for all rows names it
    own = {
        one: set(one[0]) - everywhere - set(chain(*(other[0] for other in stated if other is not one)))
        for one in stated
    }
    groups: dict[Stated, list[_Row]] = {}
    for row in rows:
        named = [one for one in stated if own[one] & row.words]
        named = named or [one for one in stated if not own[one] and set(one[0]) <= row.words]
        if len(named) != 1 or row.turns(own[named[0]] or set(named[0][0])):
            return {}
        groups.setdefault(named[0], []).append(row)
    return groups


def _wrong(
    groups: Mapping[Stated, Sequence[_Row]], formula: Callable[[Fraction, Fraction], Fraction], place: int
) -> list[tuple[_Row, Fraction, Stated, Stated]]:
    """The rows of a name whose gold has another name's constant on all, if those of all others have their own."""
    wrong: list[tuple[_Row, Fraction, Stated, Stated]] = []
    right = 0

    def has(one: _Row, stated: Stated) -> bool:
        return one.is_gold(formula(one.numbers[place], stated[1]))

    for own, rows in groups.items():
        if all(has(one, own) for one in rows):
            right += len(rows)
            continue
        other = next((it for it in groups if all(has(one, it) for one in rows)), None)
        if other is None:
            return []
        refused = [one for one in rows if not has(one, own)]
        wrong += [(one, formula(one.numbers[place], own[1]), own, other) for one in refused]
    varied = len({one.gold for one, *_ in wrong}) >= FEWEST_ANSWERS
    return wrong if varied and len(wrong) >= FEWEST_WRONG and right >= FEWEST_RIGHT else []


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction, Stated, Stated]], count: int) -> Iterator[Finding]:
    """The finding, where what follows from the constant of its own name is refused."""
    refused = refused_instead(subject, [(one, value) for one, value, *_ in wrong])
    if refused is None:
        return
    (text, episode), (one, _, own, other) = refused, wrong[0]
    yield Finding(
        f"Gold of {len(wrong)} of {count} rows is worked out with a number that the prompt states for something else, "
        f"such as {quoted(one.stated[other].strip())} in place of {quoted(one.stated[own].strip())}: {quoted(text)} is "
        f"refused and scores {episode.reward:g}; gold is {quoted(one.written)}.",
        "Work gold out with the number of what the row names; look names up as they are written, without a default.",
        one.row, one.prompt[-600:], episode.reward, golds(subject)[one.row].reward,
    )  # fmt: skip
