"""Whether gold follows from the numbers as its prompt shows them, and not from more decimals than it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import gcd

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    Formula,
    WorkedRow,
    decimals_have_commas,
    formulas,
    fraction_of,
    gold_number,
    mean_of_all,
    refused_instead,
    sum_of_all,
    worked_out,
)
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_ANSWERS, FEWEST_OFF, MOST_NUMBERS = 6, 5, 3, 5
SOME, MOST_OPEN = 0.2, 0.1
"""The share of rows on which gold is another number, and how much of it the digits that are not shown may be."""
_DIGITS = 9
"""Decimals of a float of a column that count."""
Way = tuple[Formula, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    """One prompt, with half of the last decimal of each of its numbers, and the numbers of the columns of its row."""

    halves: tuple[Fraction, ...]
    columns: dict[str, Fraction]

    def shown(self, way: Way) -> Fraction:
        """The value by the numbers of the prompt."""
        return worked_out(way[0], [self.numbers[place] for place in way[1]]) or Fraction(0)

    def most_and_least(self, way: Way) -> tuple[Fraction, Fraction]:
        """The ends of what the value may be by the digits that are not shown; nothing open where whole numbers are."""
        ends = ((self.numbers[at] - self.halves[at], self.numbers[at] + self.halves[at]) for at in way[1])
        values = [worked_out(way[0], corner) or Fraction(0) for corner in product(*ends)]
        return max(values), min(values)


@check("C171", needs=("gold",), kinds=("single-turn",))
def gold_follows_from_what_is_shown(subject: Subject) -> Iterator[Finding]:
    """Gold is worked out from the numbers that its prompt shows, and not from more decimals of them."""
    rows = list(_rows(subject))
    count = len(rows[0].numbers) if rows else 0
    alike = len({(len(one.numbers), frozenset(one.columns)) for one in rows}) == 1
    if not alike or len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS:
        return
    if not 2 <= count <= MOST_NUMBERS:
        return
    places = max(one.places for one in rows)
    step = Fraction(gcd(*(int(one.gold * 10**places) for one in rows)), 10**places)
    ways = [*formulas(count, (mean_of_all, sum_of_all))]
    ways += [(formula, pair) for formula in (sum_of_all, _difference) for pair in permutations(range(count), 2)]
    if any(all(abs(one.gold - one.shown(way)) < step for one in rows) for way in ways):
        return
    held = _held(rows)
    for way in ways:
        wrong = [one for one in rows if abs(one.gold - one.shown(way)) >= step and one.places == places]
        if len(wrong) < max(FEWEST_OFF, SOME * len(rows)):
            continue
        column = _by_columns(rows, way, held, step)
        if column or _within(rows, way):
            yield from _proven(subject, [(one, one.shown(way)) for one in wrong], len(rows), column)
            return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows whose gold is one number."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = decimals_have_commas(prompts.values())
    for row, prompt in prompts.items():
        written, numbers = NUMBER.findall(golds(subject)[row].text), NUMBER.findall(prompt)
        if len(written) == 1:
            decimals = [len(one.partition("," if comma else ".")[2]) for one in numbers]
            yield _Row(
                row, prompt, tuple(fraction_of(one, comma) for one in numbers),
                gold_number(written[0], comma), written[0],
                tuple(Fraction(1, 2 * 10**many) if many else Fraction(0) for many in decimals),
                {
                    name: Fraction(str(round(value, _DIGITS))) for name, value in subject.row(row).items()
                    if isinstance(value, float) and abs(value) < 10**_DIGITS
                },
            )  # fmt: skip


def _difference(one: Fraction, other: Fraction) -> Fraction:
    return one - other


def _held(rows: Sequence[_Row]) -> dict[int, str]:
    """The column that holds the number of a place with more digits than all prompts show."""
    found = {}
    for place, name in product(range(len(rows[0].numbers)), rows[0].columns):
        pairs = [(one.columns[name], one.numbers[place], one.halves[place] or Fraction(1, 2)) for one in rows]
        if all(abs(value - shown) <= half for value, shown, half in pairs) and any(a != b for a, b, _ in pairs):
            found[place] = name
    return found


def _by_columns(rows: Sequence[_Row], way: Way, held: dict[int, str], step: Fraction) -> str:
    """The column with which gold follows in this way on all rows; empty where there is none."""
    formula, places = way
    for one in rows:
        values = [one.columns[held[at]] if at in held else one.numbers[at] for at in places]
        if abs(one.gold - (worked_out(formula, values) or Fraction(0))) >= step:
            return ""
    return next((held[at] for at in places if at in held), "")


def _within(rows: Sequence[_Row], way: Way) -> bool:
    """Whether gold is within what the shown digits leave open, above on some rows and below on others.

    A fee or a further rule moves it to one side. Of three numbers, what is rounded on the way explains it as well.
    """
    if way[0] is not mean_of_all and len(way[1]) > 2:
        return False
    ends = [one.most_and_least(way) for one in rows]
    if not all(least <= one.gold <= most for one, (most, least) in zip(rows, ends, strict=True)):
        return False
    sides = {one.gold > one.shown(way) for one in rows if one.gold != one.shown(way)}
    narrow = sum(most - least <= MOST_OPEN * one.gold for one, (most, least) in zip(rows, ends, strict=True))
    return len(sides) > 1 and 2 * narrow > len(rows)


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction]], count: int, column: str) -> Iterator[Finding]:
    """The finding, where what follows from the prompt is refused."""
    refused = refused_instead(subject, wrong)
    if refused is None:
        return
    (text, episode), one, gold = refused, wrong[0][0], golds(subject)[wrong[0][0].row]
    source = f"the column {column!r} has more decimals" if column else "gold follows from more decimals of them"
    yield Finding(
        f"Prompts show rounded numbers, and {source}: what anyone works out from the prompt is refused on "
        f"{len(wrong)} of {count} rows, such as {quoted(text)}, which scores {episode.reward:g}; gold is "
        f"{quoted(gold.text)}.",
        "Work gold out from the numbers as the prompt shows them, or show all of their decimals.",
        one.row, one.prompt[-600:], episode.reward, gold.reward,
    )  # fmt: skip
