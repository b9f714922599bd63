"""Whether gold is rounded where its prompt asks for that, and not cut off or rounded up."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.attempts.shown_series import of_replies, series_of, values_of
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    WorkedRow,
    decimals_have_commas,
    formulas,
    fraction_of,
    given_numbers,
    gold_number,
    refused_instead,
    worked_out,
)
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_ANSWERS, MOST_ROWS, MOST_NUMBERS = 10, 8, 60, 6
HALF, FEWEST_HALVES, SOME, LEAST = Fraction(1, 2), 3, 0.2, 10
"""On how many rows a half is rounded otherwise than told; the share of rows on which rounding gives another number at
all; and how many units of its last place gold has at least."""
_ROUNDED = regex(
    r"\bround(?:ed|ing)?\b(?! (?:trips?|tables?|of)\b)|nearest|\brund|gerundet|arrond|redonde|arredond|arrotond|"
    r"afgerond|округл|四捨五入|四舍五入",
    re.IGNORECASE,
)
_DECIMALS = regex(r"\b(?:two|three|one|[1-4]) (?:decimals?|decimal places?|digits after)\b|\bto the cent\b", re.I)
"""What a prompt says that asks for rounding, and what may mean it."""
_OTHERWISE = regex(
    r"\b(?:round\w* (?:down|up|off down)|cut off|truncat\w*|floor(?:ed| of| function)|"
    r"ceil(?:ed|ing of|ing function)|abgerundet|aufgerundet|abrunden|aufrunden|"
    r"inf[ée]rieur|sup[ée]rieur|por defecto|por exceso)\b",
    re.IGNORECASE,
)
_HALVES_UP = regex(
    r"[^.;:?!,\n(]*\bhal(?:f|ves)\b[^.;:?!\n)]*\b(?:up|away from zero)\b[^.;:?!\n)]*|\bround\w* half up\b|"
    r"\bround\w* commercially\b|\bcommercial(?:ly)? round\w*|\bkaufm[äa]nnisch\w*",
    re.IGNORECASE,
)
"""What a prompt says that halves are rounded up."""


def _off(one: WorkedRow, value: Fraction) -> Fraction:
    """How far gold is below a value, in units of its last place."""
    return one.units(value - one.gold)


Followed = list[tuple[WorkedRow, Fraction]]
"""The values that follow from the numbers of rows by one formula."""


@check("C152", needs=("gold",))
def gold_is_rounded_where_that_is_asked(subject: Subject) -> Iterator[Finding]:
    """Gold that follows from numbers of prompts or replies is rounded where that is asked for, and not cut off."""
    rows = list(_rows(subject))[:MOST_ROWS]
    if not _are_enough(rows):
        return
    found = [followed for followed in _all_followed(subject, rows) if _is_near(followed)]
    if rounded := [followed for followed in found if all(abs(_off(*one)) <= HALF for one in followed)]:
        halves = [[one for one in followed if _off(*one) == HALF and _goes_up(one[0])] for followed in rounded]
        if min(map(len, halves)) >= FEWEST_HALVES:
            yield from _proven(subject, halves[0], len(rounded[0]), "rounded down from a half")
        return
    for followed in found:
        wrong = [one for one in followed if abs(_off(*one)) > HALF]
        if len(wrong) >= SOME * len(followed):
            yield from _proven(subject, wrong, len(followed), "cut off" if _off(*wrong[0]) > 0 else "rounded up")
            return


def _are_enough(rows: Sequence[WorkedRow]) -> bool:
    return len(rows) >= FEWEST_ROWS and len({one.gold for one in rows}) >= FEWEST_ANSWERS


def _rows(subject: Subject) -> Iterator[WorkedRow]:
    """The rows whose prompts ask for a rounded number, which is their gold."""
    pairs = [
        (row, prompt, answer) for row, prompt, answer in pairs_of(subject)
        if (_ROUNDED.search(prompt) or _DECIMALS.search(prompt)) and not _OTHERWISE.search(_HALVES_UP.sub("", prompt))
    ]  # fmt: skip
    comma = decimals_have_commas(prompt for _, prompt, _ in pairs)
    given = given_numbers(list(golds(subject).values()))
    for row, prompt, answer in pairs:
        written = NUMBER.findall(answer) or ([given[row]] if row in given else [])
        if len(written) == 1:
            numbers = tuple(fraction_of(number, comma) for number in NUMBER.findall(prompt))
            one = WorkedRow(row, prompt, numbers, gold_number(written[0], comma), written[0])
            if one.units(one.gold) >= LEAST:
                yield one


def _all_followed(subject: Subject, rows: Sequence[WorkedRow]) -> Iterator[Followed]:
    """The values by each formula, for the numbers of prompts of the usual shape, and then for those of replies too."""
    usual = Counter(len(one.numbers) for one in rows).most_common(1)[0][0]
    same = [one for one in rows if len(one.numbers) == usual]
    if 1 < usual <= MOST_NUMBERS and _are_enough(same):
        for formula, places in formulas(usual):
            worked = [worked_out(formula, [one.numbers[place] for place in places]) for one in same]
            yield [(one, value) for one, value in zip(same, worked, strict=True) if value is not None]
    comma = decimals_have_commas(one.prompt for one in rows)
    shown = [(one, series_of(subject, golds(subject)[one.row], comma)) for one in rows]
    shape = Counter(of_replies(series) for _, series in shown).most_common(1)[0][0]
    alike = [(one, series) for one, series in shown if of_replies(series) == shape]
    if _are_enough([one for one, _ in alike]):
        for values in values_of([series for _, series in alike]):
            yield [(one, value) for (one, _), value in zip(alike, values, strict=True)]


def _is_near(followed: Followed) -> bool:
    """Whether all golds are less than a unit away, and to one side, or are rounded."""
    off = [_off(one, value) for one, value in followed]
    rounded = all(abs(one) <= HALF for one in off)
    return len(off) >= FEWEST_ROWS and (rounded or any(all(0 <= side * one <= 1 for one in off) for side in (1, -1)))


def _goes_up(one: WorkedRow) -> bool:
    return _HALVES_UP.search(one.prompt) is not None


def _proven(subject: Subject, wrong: Sequence[tuple[WorkedRow, Fraction]], count: int, how: str) -> Iterator[Finding]:
    """The finding, where the rounded number is refused in place of gold."""
    found = refused_instead(subject, wrong)
    if found is None:
        return
    (text, episode), one, gold = found, wrong[0][0], golds(subject)[wrong[0][0].row]
    plain = all(_ROUNDED.search(each.prompt) for each, _ in wrong)
    yield Finding(
        f"Gold is {how} on {len(wrong)} of {count} rows whose prompts ask for "
        f"{'rounding' if plain else 'decimals'}: {quoted(text)} scores {episode.reward:g}, and gold is "
        f"{quoted(gold.text)}.",
        "Round gold as the prompt says, with decimal.Decimal or whole cents rather than floats and int().",
        one.row, one.prompt[-600:], episode.reward, gold.reward,
        severity="error" if plain else "warning",
    )  # fmt: skip
