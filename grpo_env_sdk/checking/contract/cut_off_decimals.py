"""Whether gold is rounded where its prompt asks for that, and not cut off or rounded up."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    WorkedRow,
    formulas,
    fraction_of,
    gold_number,
    refused_instead,
    worked_out,
)
from grpo_env_sdk.checking.evidence.golds import golds, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_ANSWERS, MOST_NUMBERS = 12, 8, 6
SOME, LEAST = 0.2, 10
"""The share of rows on which rounding gives another number, and how many units of its last place gold has at least."""
_ROUNDED = re.compile(
    r"round|nearest|\brund|gerundet|arrond|redonde|arredond|arrotond|afgerond|округл|四捨五入|四舍五入", re.I
)
_OTHERWISE = re.compile(
    r"\b(?:round\w* (?:down|up|off down)|cut off|truncat\w*|floor|ceil\w*|abgerundet|aufgerundet|abrunden|aufrunden|"
    r"inf[ée]rieur|sup[ée]rieur|por defecto|por exceso)\b",
    re.IGNORECASE,
)


def _off(one: WorkedRow, value: Fraction) -> Fraction:
    """How far gold is below a value, in units of its last place."""
    return one.units(value - one.gold)


@check("C152", needs=("gold",), kinds=("single-turn",))
def gold_is_rounded_where_that_is_asked(subject: Subject) -> Iterator[Finding]:
    """Gold that follows from the numbers of its prompt is rounded where that is asked for, and not cut off."""
    rows = list(_rows(subject))
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS:
        return
    for values in _values_of(rows):
        wrong = [
            (one, value) for one, value in zip(rows, values, strict=True) if abs(_off(one, value)) > Fraction(1, 2)
        ]
        if len(wrong) >= SOME * len(rows):
            yield from _proven(subject, wrong, len(rows))
            return


def _rows(subject: Subject) -> Iterator[WorkedRow]:
    """The rows whose prompts ask for a rounded number and have as many numbers as most of them."""
    pairs = [
        (row, prompt, answer) for row, prompt, answer in pairs_of(subject)
        if _ROUNDED.search(prompt) and not _OTHERWISE.search(prompt)
    ]  # fmt: skip
    found = {row: NUMBER.findall(prompt) for row, prompt, _ in pairs}
    usual = Counter(map(len, found.values())).most_common(1)
    comma = not any("." in number for numbers in found.values() for number in numbers)
    for row, prompt, answer in pairs:
        written = NUMBER.findall(answer)
        if len(found[row]) == usual[0][0] and len(written) == 1 and 1 < usual[0][0] <= MOST_NUMBERS:
            numbers = tuple(fraction_of(number, comma) for number in found[row])
            one = WorkedRow(row, prompt, numbers, gold_number(written[0], comma), written[0])
            if one.units(one.gold) >= LEAST:
                yield one


def _values_of(rows: Sequence[WorkedRow]) -> Iterator[list[Fraction]]:
    """The values by each formula from which all golds are less than a unit away, and to one side."""
    for formula, places in formulas(len(rows[0].numbers)):
        for side in (1, -1):
            values = []
            for one in rows:
                value = worked_out(formula, [one.numbers[place] for place in places])
                if value is None or not 0 <= side * _off(one, value) <= 1:
                    break
                values.append(value)
            if len(values) == len(rows):
                yield values


def _proven(subject: Subject, wrong: Sequence[tuple[WorkedRow, Fraction]], count: int) -> Iterator[Finding]:
    """The finding, where the rounded number is refused in place of gold."""
    found = refused_instead(subject, wrong)
    if found is None:
        return
    (text, episode), one, gold = found, wrong[0][0], golds(subject)[wrong[0][0].row]
    below = _off(*wrong[0]) > 0
    yield Finding(
        f"Gold is {'cut off' if below else 'rounded up'} on {len(wrong)} of {count} rows whose prompts ask for "
        f"rounding: {quoted(text)} scores {episode.reward:g}, and gold is {quoted(gold.text)}.",
        "Round gold as the prompt says, with decimal.Decimal or whole cents rather than floats and int().",
        one.row, one.prompt[-600:], episode.reward, gold.reward,
    )  # fmt: skip
