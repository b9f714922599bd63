"""Whether gold is rounded to a step that its prompt does not name, so that the exact amount is refused."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
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
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_ANSWERS, MOST_NUMBERS = 12, 8, 5
STEPS = (2, 5, 10, 20, 25, 50, 100)
"""How many units of the last place that is written gold may be rounded to."""
SOME = 0.2
"""The share of rows on which the exact amount is another."""
_SCALES = tuple(Fraction(*scale) for scale in ((1, 1), (1, 10), (1, 100), (1, 1000), (60, 1), (1, 60)))
_NAMED = regex(
    r"nearest (?!cent\b|penny|hundredth|tenth|whole|integer)|multiples? of|steps? of|increment|rappen|nickel|dime|"
    r"quarter|half\b|halves|f[\u00fcu]nf|viertel|halbe|cinq|demi|cinco|medio|swedish|cash rounding|bargeld",
    re.IGNORECASE,
)
"""What a prompt says that names a step."""


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    """One prompt, with the numbers of its lines with two of them."""

    lines: tuple[tuple[Fraction, Fraction], ...]

    @property
    def gold_units(self) -> int:
        """Gold in units of its last place."""
        return int(self.units(self.gold))


@check("C153", needs=("gold",), kinds=("single-turn",))
def gold_is_rounded_to_no_secret_step(subject: Subject) -> Iterator[Finding]:
    """Gold that follows from the numbers of its prompt is not rounded further than the prompt says."""
    rows = list(_rows(subject))
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS or len({r.places for r in rows}) > 1:
        return
    step = gcd(*(one.gold_units for one in rows))
    if step not in STEPS or any(_names(one.prompt, Fraction(step, 10**one.places)) for one in rows):
        return
    for values in _values_of(rows, step):
        wrong = [
            (one, value) for one, value in zip(rows, values, strict=True)
            if one.rounded(value) != one.gold_units
        ]  # fmt: skip
        if len(wrong) >= SOME * len(rows):
            yield from _proven(subject, wrong, len(rows), Fraction(step, 10 ** rows[0].places))
            return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows whose gold is one number."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = decimals_have_commas(prompts.values())
    for row, prompt in prompts.items():
        written = NUMBER.findall(golds(subject)[row].text)
        if len(written) != 1:
            return
        numbers = [tuple(fraction_of(one, comma) for one in NUMBER.findall(line)) for line in prompt.splitlines()]
        flat = tuple(number for line in numbers for number in line)
        lines = tuple((line[0], line[1]) for line in numbers if len(line) == 2)
        yield _Row(row, prompt, flat, gold_number(written[0], comma), written[0], lines)


def _names(prompt: str, step: Fraction) -> bool:
    """Whether a prompt names the step, in numbers or in words."""
    shown = {f"{float(step):g}", f"{float(step):.2f}"}
    said = {number.replace(",", ".") for number in NUMBER.findall(prompt)}
    return bool(shown & said) or _NAMED.search(prompt) is not None


def _values_of(rows: Sequence[_Row], step: int) -> Iterator[list[Fraction]]:
    """The values by each formula that are gold on all rows once they are rounded to the step."""
    for scale in _SCALES:
        found = [sum((a * b * scale for a, b in one.lines), Fraction(0)) for one in rows if len(one.lines) > 1]
        if _are_gold(rows, found, step):
            yield found
    count = len(rows[0].numbers)
    if not 2 <= count <= MOST_NUMBERS or any(len(one.numbers) != count for one in rows):
        return
    for formula, places in formulas(count, (mean_of_all, sum_of_all)):
        values = [worked_out(formula, [one.numbers[place] for place in places]) for one in rows]
        known = [value for value in values if value is not None]
        if _are_gold(rows, known, step):
            yield known


def _are_gold(rows: Sequence[_Row], values: Sequence[Fraction], step: int) -> bool:
    return len(values) == len(rows) and all(
        abs(one.units(value) - one.gold_units) <= Fraction(step, 2) for one, value in zip(rows, values, strict=True)
    )


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction]], count: int, step: Fraction) -> Iterator[Finding]:
    """The finding, where the exact amount is refused in place of gold."""
    found = refused_instead(subject, wrong)
    if found is None:
        return
    (text, episode), one, gold = found, wrong[0][0], golds(subject)[wrong[0][0].row]
    yield Finding(
        f"Gold is rounded to {float(step):g}, which no prompt says, and the exact amount is refused on {len(wrong)} of "
        f"{count} rows: {quoted(text)} scores {episode.reward:g}, and gold is {quoted(gold.text)}.",
        "Say in the prompt how to round, or compare with the amount that the prompt asks for.",
        one.row, one.prompt[-600:], episode.reward, gold.reward,
    )  # fmt: skip
