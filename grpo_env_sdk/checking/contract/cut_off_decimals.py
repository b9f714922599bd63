"""Whether gold is rounded where its prompt asks for that, and not cut off or rounded up."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.golds import golds, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.worked_numbers import (
    NUMBER,
    OF_THREE,
    OF_TWO,
    Formula,
    fraction_of,
    mean_of_all,
    worked_out,
)
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_ANSWERS, MOST_NUMBERS, MOST_PLAYED = 12, 8, 6, 6
SOME, REFUSED, LEAST = 0.2, 0.5, 10
"""The share of rows on which rounding gives another number, the part of gold's reward below which an answer counts as
refused, and how many units of its last place a gold has at least."""
_ROUNDED = re.compile(
    r"round|nearest|\brund|gerundet|arrond|redonde|arredond|arrotond|afgerond|округл|四捨五入|四舍五入", re.I
)
_OTHERWISE = re.compile(
    r"\b(?:round\w* (?:down|up|off down)|cut off|truncat\w*|floor|ceil\w*|abgerundet|aufgerundet|abrunden|aufrunden|"
    r"inf[ée]rieur|sup[ée]rieur|por defecto|por exceso)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Row:
    """One prompt: its numbers, the number of its gold, and the places that are written of it."""

    row: int
    prompt: str
    numbers: tuple[Fraction, ...]
    gold: Fraction
    places: int
    written: str

    def off(self, value: Fraction) -> Fraction:
        """How far gold is below a value, in units of its last place."""
        units: Fraction = (value - self.gold) * 10**self.places
        return units

    def rounded(self, value: Fraction) -> str:
        """The value rounded as gold is written."""
        units = int(value * 10**self.places + Fraction(1, 2))
        whole, rest = divmod(units, 10**self.places)
        point = "," if "," in self.written else "."
        return f"{whole}{point}{rest:0{self.places}}" if self.places else str(whole)


@check("C152", needs=("gold",), kinds=("single-turn",))
def gold_is_rounded_where_that_is_asked(subject: Subject) -> Iterator[Finding]:
    """Gold that follows from the numbers of its prompt is rounded where that is asked for, and not cut off."""
    rows = list(_rows(subject))
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS:
        return
    for values in _values_of(rows):
        wrong = [(one, value) for one, value in zip(rows, values, strict=True) if abs(one.off(value)) > Fraction(1, 2)]
        if len(wrong) >= SOME * len(rows):
            yield from _proven(subject, wrong, len(rows))
            return


def _rows(subject: Subject) -> Iterator[_Row]:
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
            gold = fraction_of(written[0], "," in written[0] and "." not in written[0] and comma)
            places = len(re.split(r"[.,]", written[0])[1]) if re.fullmatch(r"\d+[.,]\d+", written[0]) else 0
            if gold * 10**places >= LEAST:
                yield _Row(row, prompt, numbers, gold, places, written[0])


def _values_of(rows: Sequence[_Row]) -> Iterator[list[Fraction]]:
    """The values by each formula from which all golds are less than a unit away, and to one side."""
    count = len(rows[0].numbers)
    tried: list[tuple[Formula, tuple[int, ...]]] = [(mean_of_all, tuple(range(count)))]
    tried += [(formula, places) for formula in OF_TWO for places in permutations(range(count), 2)]
    tried += [(formula, places) for formula in OF_THREE for places in permutations(range(count), 3)]
    for formula, places in tried:
        for side in (1, -1):
            values = []
            for one in rows:
                value = worked_out(formula, [one.numbers[place] for place in places])
                if value is None or not 0 <= side * one.off(value) <= 1:
                    break
                values.append(value)
            if len(values) == len(rows):
                yield values


def _proven(subject: Subject, wrong: Sequence[tuple[_Row, Fraction]], count: int) -> Iterator[Finding]:
    """The finding, where the rounded number is refused in place of gold."""
    known = golds(subject)
    tried = [(one, known[one.row].text.replace(one.written, one.rounded(value))) for one, value in wrong[:MOST_PLAYED]]
    episodes = play_answers(subject, [(one.row, [*known[one.row].turns[:-1], text]) for one, text in tried])
    refused = [
        (one, text, episode) for (one, text), episode in zip(tried, episodes, strict=False)
        if not episode.error and episode.reward is not None and episode.reward < REFUSED * known[one.row].reward
    ]  # fmt: skip
    if not refused or len(refused) < len(episodes):
        return
    one, text, episode = refused[0]
    below = one.off(wrong[0][1]) > 0
    yield Finding(
        f"Gold is {'cut off' if below else 'rounded up'} on {len(wrong)} of {count} rows whose prompts ask for "
        f"rounding: {quoted(text)} scores {episode.reward:g}, and gold is {quoted(known[one.row].text)}.",
        "Round gold as the prompt says, with decimal.Decimal or whole cents rather than floats and int().",
        one.row, one.prompt[-600:], episode.reward, known[one.row].reward,
    )  # fmt: skip
