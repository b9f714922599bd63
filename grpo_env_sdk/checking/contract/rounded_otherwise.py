"""Whether gold is rounded in the direction, and to the step, that its prompt names."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    OF_TWO,
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
from grpo_env_sdk.checking.evidence.prompts.named_rounding import (
    DOWN,
    NEAREST,
    UP,
    NamedRounding,
    is_rounded,
    named_rounding,
    rounded,
)
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Row

FEWEST_ROWS, FEWEST_ANSWERS, MOST_ROWS, MOST_NUMBERS, SOME = 10, 6, 60, 7, 0.2
"""Of how many rows and answers something is said, how many rows and numbers are looked at, and the share of rows on
which the number is no multiple of the step, and on which gold is rounded otherwise."""
_PLACES = 9
"""Decimals of a float of a column that count."""
_PAIRS: tuple[Callable[..., Fraction], ...] = (max, min, lambda a, b: a + b, lambda a, b: a - b, *OF_TWO)


_SCALES = tuple(Fraction(*scale) for scale in ((1, 60), (60, 1), (1, 100), (1, 1000)))
"""Between the units of what is given and of what is asked for."""


@dataclass(frozen=True, slots=True)
class _Row(WorkedRow):
    """One prompt with the rounding that it names, and the numbers of the columns of its row."""

    named: NamedRounding
    columns: dict[str, Fraction]


Values = list[Fraction]


@check("C163", needs=("gold",))
def gold_is_rounded_as_its_prompt_says(subject: Subject) -> Iterator[Finding]:
    """Gold is rounded up, down or to the nearest, and to the step, as its prompt says."""
    rows = list(_rows(subject))[:MOST_ROWS]
    if not rows:
        return
    usual = Counter((len(one.numbers), len(one.named.steps), frozenset(one.columns)) for one in rows).most_common(1)
    shape = usual[0][0]
    rows = [one for one in rows if (len(one.numbers), len(one.named.steps), frozenset(one.columns)) == shape]
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS:
        return
    for place in range(shape[1]):
        steps = [one.named.steps[place] for one in rows]
        if any(one.gold % step for one, step in zip(rows, steps, strict=True)):
            continue
        if all(one.named.how == NEAREST and one.units(step) == 1 for one, step in zip(rows, steps, strict=True)):
            return  # C152 looks at the last decimal
        found = list(_systematic(rows, steps))
        if not any(all(_as_named(one, value, step) for one, value, step in each) for each in found):
            yield from (finding for each in found[:1] if (finding := _proven(subject, each)))
        return


def _rows(subject: Subject) -> Iterator[_Row]:
    """The rows whose gold is one number, and whose prompts name how it is rounded."""
    pairs = [(*pair, named) for pair in pairs_of(subject) if (named := named_rounding(pair[1]))]
    comma = decimals_have_commas(prompt for _, prompt, *_ in pairs)
    given = given_numbers(list(golds(subject).values()))
    for row, prompt, answer, named in pairs:
        written = NUMBER.findall(answer) or ([given[row]] if row in given else [])
        numbers = tuple(fraction_of(number, comma) for number in NUMBER.findall(prompt))
        if len(written) == 1:
            gold = gold_number(written[0], comma)
            yield _Row(row, prompt, numbers, gold, written[0], named, _columns(subject.row(row)))


def _columns(row: Row) -> dict[str, Fraction]:
    return {
        name: Fraction(str(round(value, _PLACES))) for name, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**_PLACES
    }  # fmt: skip


Followed = list[tuple[_Row, Fraction, Fraction]]
"""Rows with the number that gold follows from, and the step to which it is rounded."""


def _systematic(rows: Sequence[_Row], steps: Sequence[Fraction]) -> Iterator[Followed]:
    """The numbers by each formula of which gold is rounded in one direction on all rows, and that are no multiples."""
    for value_of in _formulas(rows[0]):
        for how in (UP, DOWN, NEAREST):
            followed: Followed = []
            for one, step in zip(rows, steps, strict=True):
                value = value_of(one)
                if value is None or not is_rounded(one.gold, value, how, step):
                    break
                followed.append((one, value, step))
            between = sum(bool(value % step) for _, value, step in followed)
            if len(followed) == len(rows) and between >= SOME * len(rows):
                yield followed


def _formulas(first: _Row) -> Iterator[Callable[[_Row], Fraction | None]]:
    """What may be rounded: a number of the prompt or of a column, and what follows from two or three of them."""
    count, names = len(first.numbers), list(first.columns)[:MOST_NUMBERS]
    reads: list[Callable[[_Row], Fraction]] = [lambda one, name=name: one.columns[name] for name in names]  # type: ignore[misc]
    if count <= MOST_NUMBERS:
        reads += [lambda one, place=place: one.numbers[place] for place in range(count)]  # type: ignore[misc]
    yield from reads
    for scale in _SCALES:
        yield from (lambda row, read=read, scale=scale: read(row) * scale for read in reads)
    for one, other in permutations(reads, 2):
        for formula in _PAIRS:
            yield lambda row, formula=formula, one=one, other=other: worked_out(formula, (one(row), other(row)))  # type: ignore[misc]
    for formula, places in formulas(count) if 2 < count <= MOST_NUMBERS else ():
        if len(places) > 2:
            yield lambda row, formula=formula, places=places: worked_out(formula, [row.numbers[at] for at in places])  # type: ignore[misc]


def _as_named(one: _Row, value: Fraction, step: Fraction) -> bool:
    return is_rounded(one.gold, value, one.named.how, step)


def _proven(subject: Subject, followed: Followed) -> Finding | None:
    """The finding, where the number that is rounded as the prompt says is refused in place of gold."""
    wrong = [each for each in followed if not _as_named(*each)]
    right = [(one, rounded(value, one.named.how, step)) for one, value, step in wrong]
    written = [(one, value) for one, value in right if one.units(value).denominator == 1]
    if len(wrong) < SOME * len(followed) or not written:
        return None
    refused = refused_instead(subject, written)
    if refused is None:
        return None
    (text, episode), one, gold = refused, written[0][0], golds(subject)[written[0][0].row]
    step = next(step for each, _, step in wrong if each is one)
    return Finding(
        f"Gold is not rounded {one.named.how} ({float(step):g}), as the prompt says, on {len(wrong)} of "
        f"{len(followed)} rows: {quoted(text)} scores {episode.reward:g}, and gold is {quoted(gold.text)}.",
        "Round gold as the prompt says, with math.ceil, math.floor or decimal.Decimal, or ask for what gold is.",
        one.row, one.prompt[-600:], episode.reward, gold.reward,
    )  # fmt: skip
