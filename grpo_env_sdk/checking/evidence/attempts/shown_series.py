"""The numbers that prompts and replies list, and the values that may follow from them: means, shares, amounts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from grpo_env_sdk.checking.evidence.attempts.worked_numbers import (
    NUMBER,
    OF_THREE,
    OF_TWO,
    fraction_of,
    mean_of_all,
    worked_out,
)
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, leaves, read_json
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex

MOST_SERIES, MOST_LISTED = 7, 60
_PROMPT = "prompt"
_RUN = regex(rf"(?:{NUMBER.pattern})(?:(?:[,;] ?| ?(?:and|und|et|y|e|\+|/) | )(?:{NUMBER.pattern}))*")
"""Numbers one behind another."""
Series = dict[str, tuple[Fraction, ...]]
Name = tuple[str, ...]
"""A formula, and the series that it takes."""


def series_of(subject: Subject, gold: Gold, comma: bool) -> Series:
    """The numbers of a row's prompt by where they stand, and those of gold's replies by tool and key."""
    found: dict[str, list[Fraction]] = defaultdict(list)
    for name, numbers in _in_text(_PROMPT, prompt_text(subject, gold.row), comma):
        found[name] += numbers
    for call in gold_episodes(subject)[gold.row].tool_calls:
        for name, numbers in _in_reply(str(call["name"]), str(call["content"])):
            found[name] += numbers
    return {name: tuple(numbers[:MOST_LISTED]) for name, numbers in found.items()}


def of_replies(series: Series) -> frozenset[str]:
    """The names of the numbers of a row that are not those of its prompt."""
    return frozenset(name for name in series if not name.startswith(f"{_PROMPT} "))


def values_of(rows: Sequence[Series]) -> Iterator[list[Fraction]]:
    """What follows from the numbers of all rows by each formula."""
    shared = [name for name in rows[0] if all(name in one for one in rows)]
    varied = [name for name in shared if len({one[name] for one in rows}) > 1][:MOST_SERIES]
    by_row = [dict(_followed({name: one[name] for name in varied})) for one in rows]
    for name in by_row[0]:
        values = [one[name] for one in by_row if name in one]
        if len(values) == len(rows):
            yield values


def _followed(series: Series) -> Iterator[tuple[Name, Fraction]]:
    """What follows from the numbers of one row."""
    totals = {name: sum(numbers, Fraction(0)) for name, numbers in series.items() if numbers}
    for name, numbers in series.items():
        if numbers:
            yield ("mean", name), mean_of_all(*numbers)
    for one, other in permutations(series, 2):
        if len(series[one]) == len(series[other]) > 1 and totals[other]:
            yield ("weighted", one, other), _products(series[one], series[other]) / totals[other]
    for one, other in combinations(series, 2):
        if len(series[one]) == len(series[other]) > 1:
            totals[f"{one} times {other}"] = _products(series[one], series[other])
    yield from (((name,), total) for name, total in totals.items())
    yield from _by_formulas(totals)


def _by_formulas(totals: Mapping[str, Fraction]) -> Iterator[tuple[Name, Fraction]]:
    for count, formulas in ((2, OF_TWO), (3, OF_THREE)):
        for names in permutations(totals, count) if len(totals) <= MOST_SERIES else ():
            for place, formula in enumerate(formulas):
                value = worked_out(formula, [totals[name] for name in names])
                if value is not None:
                    yield (str(place), *names), value


def _products(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _in_reply(tool: str, text: str) -> Iterator[tuple[str, list[Fraction]]]:
    """The numbers of a reply: those of JSON by their keys, with those of a list together."""
    data = read_json(text, NO_JSON)
    if data is NO_JSON:
        yield from _in_text(tool, text, False)
        return
    for path, value in leaves(data):
        if not isinstance(value, bool) and re.fullmatch(r"-?\d{1,12}(?:\.\d{1,9})?", str(value)):
            yield ".".join([tool, *(key for key in path if isinstance(key, str))]), [Fraction(str(value))]


def _in_text(where: str, text: str, comma: bool) -> Iterator[tuple[str, list[Fraction]]]:
    """The numbers one behind another, and those in lines with as many numbers, column by column."""
    for place, run in enumerate(_RUN.finditer(text)):
        yield f"{where} {place}", [fraction_of(one, comma) for one in NUMBER.findall(run.group())]
    lines = [[fraction_of(one, comma) for one in NUMBER.findall(line)] for line in text.splitlines()]
    counted = Counter(len(line) for line in lines if line)
    usual, times = counted.most_common(1)[0] if counted else (0, 0)
    for column in range(usual if times > 1 else 0):
        yield f"{where} column {column}", [line[column] for line in lines if len(line) == usual]
