"""Whether gold is rounded to a step that its prompt does not name, so that the exact amount is refused."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import floor, gcd

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.evidence.worked_numbers import (
    NUMBER,
    OF_THREE,
    OF_TWO,
    fraction_of,
    mean_of_all,
    worked_out,
)
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_ANSWERS, MOST_NUMBERS, MOST_PLAYED = 12, 8, 5, 6
STEPS = (2, 5, 10, 20, 25, 50, 100)
"""How many units of the last place that is written gold may be rounded to."""
SOME, REFUSED = 0.2, 0.5
"""The share of rows on which the exact amount is another, and the part of gold's reward below which it is refused."""
_SCALES = tuple(Fraction(*scale) for scale in ((1, 1), (1, 10), (1, 100), (1, 1000), (60, 1), (1, 60)))
_NAMED = re.compile(
    r"nearest (?!cent\b|penny|hundredth|tenth|whole|integer)|multiples? of|steps? of|increment|rappen|nickel|dime|"
    r"quarter|half\b|halves|f[\u00fcu]nf|viertel|halbe|cinq|demi|cinco|medio|swedish|cash rounding|bargeld",
    re.IGNORECASE,
)
"""What a prompt says that names a step."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One prompt: its numbers, those of its lines with two of them, and its gold."""

    row: int
    prompt: str
    numbers: tuple[Fraction, ...]
    lines: tuple[tuple[Fraction, Fraction], ...]
    gold: Fraction
    written: str

    @property
    def places(self) -> int:
        """The digits behind the decimal sign of gold."""
        return len(re.split(r"[.,]", self.written)[1]) if re.fullmatch(r"\d+[.,]\d+", self.written) else 0

    @property
    def units(self) -> int:
        """Gold in units of its last place."""
        return int(self.gold * 10**self.places)


@check("C153", needs=("gold",), kinds=("single-turn",))
def gold_is_rounded_to_no_secret_step(subject: Subject) -> Iterator[Finding]:
    """Gold that follows from the numbers of its prompt is not rounded further than the prompt says."""
    rows = list(_rows(subject))
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS or len({r.places for r in rows}) > 1:
        return
    step = gcd(*(one.units for one in rows))
    if step not in STEPS or any(_names(one.prompt, Fraction(step, 10**one.places)) for one in rows):
        return
    for values in _values_of(rows, step):
        wrong = [
            (one, value) for one, value in zip(rows, values, strict=True)
            if _rounded(value * 10**one.places) != one.units
        ]  # fmt: skip
        if len(wrong) >= SOME * len(rows):
            yield from _proven(subject, wrong, len(rows), Fraction(step, 10 ** rows[0].places))
            return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows whose gold is one number."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = not any("." in number for prompt in prompts.values() for number in NUMBER.findall(prompt))
    for row, prompt in prompts.items():
        written = NUMBER.findall(golds(subject)[row].text)
        if len(written) != 1:
            return
        numbers = [tuple(fraction_of(one, comma) for one in NUMBER.findall(line)) for line in prompt.splitlines()]
        gold = fraction_of(written[0], "," in written[0] and "." not in written[0] and comma)
        flat = tuple(number for line in numbers for number in line)
        lines = tuple((line[0], line[1]) for line in numbers if len(line) == 2)
        yield _Row(row, prompt, flat, lines, gold, written[0])


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
    tried = [(mean_of_all, tuple(range(count))), (_sum, tuple(range(count)))]
    tried += [(formula, places) for formula in OF_TWO for places in permutations(range(count), 2)]
    tried += [(formula, places) for formula in OF_THREE for places in permutations(range(count), 3)]
    for formula, places in tried:
        values = [worked_out(formula, [one.numbers[place] for place in places]) for one in rows]
        known = [value for value in values if value is not None]
        if _are_gold(rows, known, step):
            yield known


def _are_gold(rows: Sequence[_Row], values: Sequence[Fraction], step: int) -> bool:
    return len(values) == len(rows) and all(
        abs(value * 10**one.places - one.units) <= Fraction(step, 2) for one, value in zip(rows, values, strict=True)
    )


def _sum(*numbers: Fraction) -> Fraction:
    return sum(numbers, Fraction(0))


def _rounded(units: Fraction) -> int:
    return floor(units + Fraction(1, 2))


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction]], count: int, step: Fraction) -> Iterator[Finding]:
    """The finding, where the exact amount is refused in place of gold."""
    known = golds(subject)
    tried = [(one, known[one.row].text.replace(one.written, _exact(one, value))) for one, value in wrong[:MOST_PLAYED]]
    episodes = play_answers(subject, [(one.row, [*known[one.row].turns[:-1], text]) for one, text in tried])
    refused = [
        (one, text, episode) for (one, text), episode in zip(tried, episodes, strict=False)
        if not episode.error and episode.reward is not None and episode.reward < REFUSED * known[one.row].reward
    ]  # fmt: skip
    if not refused or len(refused) < len(episodes):
        return
    one, text, episode = refused[0]
    yield Finding(
        f"Gold is rounded to {float(step):g}, which no prompt says, and the exact amount is refused on {len(wrong)} of "
        f"{count} rows: {quoted(text)} scores {episode.reward:g}, and gold is {quoted(known[one.row].text)}.",
        "Say in the prompt how to round, or compare with the amount that the prompt asks for.",
        one.row, one.prompt[-600:], episode.reward, known[one.row].reward,
    )  # fmt: skip


def _exact(one: _Row, value: Fraction) -> str:
    """The value with as many digits behind the decimal sign as gold."""
    whole, rest = divmod(_rounded(value * 10**one.places), 10**one.places)
    point = "," if "," in one.written else "."
    return f"{whole}{point}{rest:0{one.places}}" if one.places else str(whole)
