"""Whether gold is in the unit of which its prompt speaks, where the prompt names no other one."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    Formula,
    WorkedRow,
    decimals_have_commas,
    fraction_of,
    gold_number,
    sum_of_all,
)
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, FEWEST_ANSWERS, MOST_NUMBERS, MOST_PLAYED = 6, 5, 4, 6
UNIT_WORDS = {
    "millimetres": r"mil+[ií]m\w*|mm", "centimetres": r"[cz]ent[ií]m\w*|cm", "metres": r"m[eèé]t(?:re|er|ro)s?|m",
    "kilometres": r"kil[oó]m\w*|kms?", "inches": r"inch(?:es)?", "feet": r"feet|foot|ft",
    "grams": r"gram(?:m?es|me?|m?os|m?o|mi|s)?|g",
    "kilograms": r"kilog\w*|kilos?|kgs?", "tonnes": r"tons?|tonn\w*|tonelada\w*|t", "millilitres": r"mil+ilit\w*|ml",
    "litres": r"lit(?:re|er|ro)s?|l", "seconds": r"se[ckg]\w*und\w*|se[cg]ond\w*|secs?|s", "minutes": r"minut\w*|mins?",
    "hours": r"hours?|hrs?|h|stunden?|heures?|horas?|ore|uur", "days": r"days?|tagen?|jours?|d[ií]as?|giorni|dagen",
    "weeks": r"weeks?|wochen?|semain\w+|semana\w*|settiman\w*", "cents": r"cents?|pence|ct",
    "whole coins": r"euros?|eur|dollars?|pounds?|usd|gbp",
}  # fmt: skip
"""The words of each unit, also in a few other languages."""
_LARGER = (
    ("millimetres", "centimetres", 10), ("millimetres", "metres", 1000), ("centimetres", "metres", 100),
    ("metres", "kilometres", 1000), ("inches", "feet", 12), ("grams", "kilograms", 1000),
    ("millilitres", "litres", 1000), ("kilograms", "tonnes", 1000), ("seconds", "minutes", 60),
    ("minutes", "hours", 60), ("seconds", "hours", 3600), ("hours", "days", 24), ("days", "weeks", 7),
    ("cents", "whole coins", 100),
)  # fmt: skip
"""Each unit with a larger one, which has so many of it."""
_SIGNS = regex(r"[€$£]")
_OF_OTHERS = regex(
    r"\b(?:percent\w*|per ?cent|convert\w*|units? of|in which unit|SI|thousand\w*|hundred\w*|dozens?)\b|%",
    re.IGNORECASE,
)


@check("C174", needs=("gold",), kinds=("single-turn",))
def gold_is_in_a_unit_that_is_named(subject: Subject) -> Iterator[Finding]:
    """Gold is a number in the unit of its prompt, or in another one that the prompt names."""
    rows = list(_rows(subject))
    count = len(rows[0].numbers) if rows else 0
    if len(rows) < FEWEST_ROWS or len({one.gold for one in rows}) < FEWEST_ANSWERS or not 1 <= count <= MOST_NUMBERS:
        return
    if any(len(one.numbers) != count or _OF_OTHERS.search(one.prompt) for one in rows):
        return
    tools = canonical_json([subject.tools_of(one.row) for one in rows[:1]])
    for small, large, many in _LARGER:
        for own, other, times in ((small, large, Fraction(1, many)), (large, small, Fraction(many))):
            named = all(_speaks_of(one.prompt, own) and not _names(f"{one.prompt} {tools}", other) for one in rows)
            if named and not any(many in one.numbers for one in rows):
                yield from _found(subject, rows, own, other, times)


def _rows(subject: Subject) -> Iterator[WorkedRow]:
    """The rows with a number as gold, if all are so."""
    prompts = {row: prompt_text(subject, row) for row in golds(subject)}
    comma = decimals_have_commas(prompts.values())
    for row, prompt in prompts.items():
        text = golds(subject)[row].text.strip()
        if not re.fullmatch(r"\d+(?:[.,]\d+)?", text):
            return
        numbers = tuple(fraction_of(one, comma) for one in NUMBER.findall(prompt))
        yield WorkedRow(row, prompt, numbers, gold_number(text, comma), text)


def _names(text: str, unit: str) -> bool:
    """Whether a text has a unit as a word, or behind a number."""
    return bool(unit == "whole coins" and _SIGNS.search(text)) or next(_words(text, unit), None) is not None


def _speaks_of(text: str, unit: str) -> bool:
    """The same where a single letter is a unit behind a number alone."""
    return any(len(one[0]) > 1 or re.search(r"\d\s?\Z", text[: one.start()]) for one in _words(text, unit))


def _words(text: str, unit: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![^\W\d])(?:{UNIT_WORDS[unit]})(?![\w'])", text, re.IGNORECASE)


def _ways(count: int) -> Iterator[tuple[Formula, tuple[int, ...]]]:
    """How a value of one unit follows from so many numbers: itself, or a product, a sum or a difference."""
    yield from ((lambda a: a, (place,)) for place in range(count))
    for size in range(2, count + 1):
        for places in combinations(range(count), size):
            yield _product, places
            yield sum_of_all, places
    yield from ((lambda a, b: a - b, places) for places in permutations(range(count), 2))


def _product(*numbers: Fraction) -> Fraction:
    return prod(numbers, start=Fraction(1))


def _found(subject: Subject, rows: Sequence[WorkedRow], own: str, other: str, times: Fraction) -> Iterator[Finding]:
    """The way by which gold follows but for its unit, if what follows in the unit of the prompt is refused."""
    for formula, places in _ways(len(rows[0].numbers)):
        values = [formula(*(one.numbers[place] for place in places)) for one in rows]
        if any(value <= 0 or value * times != one.gold for value, one in zip(values, rows, strict=True)):
            continue
        tried = [(one, f"{float(value):.12g}") for one, value in zip(rows, values, strict=True)][:MOST_PLAYED]
        episodes = play_answers(subject, [(one.row, text) for one, text in tried])
        if episodes and all(loses_half(subject, episode) for episode in episodes):
            (one, text), gold = tried[0], golds(subject)[tried[0][0].row]
            yield Finding(
                f"Prompts speak of {own}, and gold is in {other} on all {len(rows)} rows, which no prompt names: "
                f"{quoted(text)} is refused and scores {episodes[0].reward:g}; gold is {quoted(one.written)}.",
                f"Say in the prompt that the answer is in {other}, or let gold be in {own}.",
                one.row, one.prompt[-600:], episodes[0].reward, gold.reward,
            )  # fmt: skip
        return
