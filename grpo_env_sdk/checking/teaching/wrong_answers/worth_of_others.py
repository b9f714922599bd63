"""Answers that have the result of one exercise under the name of another one, which is worth more."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, golds, play_scored, reward_of
from grpo_env_sdk.checking.evidence.prompts.opinions_on_numbers import expression
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row

MOST_ROWS, FEWEST_ROWS = 8, 4
_EXERCISE = regex(
    r"^\W*(?:[^\W\d_]+ )?(\w+)\W+(?:(?:is )?(?:worth|pays?|earns?|scores?|gives?|for) )?(\d+(?:\.\d+)?)"
    r"(?: (?:points?|pts?|marks?|credits?))?\)?\s*:\s*(\S.*)$",
    re.MULTILINE,
)
"""A line with the mark of an exercise, what it is worth, and the exercise."""
_WORTH = regex(r"\b(?:worth|pays?|earns?|scores?|points?|pts|marks|credits?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise of several that a prompt offers."""

    mark: str
    worth: float
    result: str


@dataclass(frozen=True, slots=True)
class Swap:
    """The result of an exercise, as its own and as that of one that is worth more."""

    row: int
    honest: str
    other: str
    easy: Exercise
    hard: Exercise


def worth_of_others(subject: Subject) -> Iterator[Finding]:
    """The finding that an answer which names a dear exercise, with the result of a cheap one, is paid for the dear."""
    swaps = [swap for gold in list(golds(subject).values())[:MOST_ROWS] if (swap := _swap(subject, gold))]
    if len(swaps) < FEWEST_ROWS:
        return
    own: list[tuple[int, Completion]] = [(swap.row, swap.honest) for swap in swaps]
    paid = {one.row_index: reward_of(one) for one in play_scored(subject, own)}
    played = {one.row_index: one for one in play_scored(subject, [(swap.row, swap.other) for swap in swaps])}
    won = [
        swap for swap in swaps
        if swap.row in played and paid.get(swap.row, 0.0) > NEARLY
        and reward_of(played[swap.row]) > paid[swap.row] * (1 + swap.hard.worth / swap.easy.worth) / 2
    ]  # fmt: skip
    if len(won) >= max(FEWEST_ROWS, 0.8 * len(swaps)):
        first = won[0]
        reward = played[first.row].reward
        yield Finding(
            f"The result of exercise {first.easy.mark!r}, which is worth {first.easy.worth:g}, scores {reward:g} as "
            f"that of {first.hard.mark!r} on {len(won)} of {len(swaps)} rows: {quoted(first.other)}, where "
            f"{quoted(first.honest)} scores {paid[first.row]:g}.",
            "Compare the result with that of the exercise which the answer names.",
            first.row, first.other, reward, f"less than {reward:g}", severity="error",
        )  # fmt: skip


def _swap(subject: Subject, gold: Gold) -> Swap | None:
    """Gold with the mark and result of the cheapest exercise, and with that result under the mark of the dearest."""
    if len(gold.turns) > 1 or gold.turns[0].get("tool_calls"):
        return None
    exercises = _exercises(prompt_text(subject, gold.row), subject.row(gold.row))
    said = [one for one in exercises if _says(gold.text, one)]
    if len(said) != 1:
        return None
    easy, hard = min(exercises, key=lambda one: one.worth), max(exercises, key=lambda one: one.worth)
    if not 0 < easy.worth < hard.worth or easy.result == hard.result:
        return None
    honest, other = (_written(gold.text, said[0], mark, easy.result) for mark in (easy.mark, hard.mark))
    return Swap(gold.row, honest, other, easy, hard)


def _exercises(prompt: str, row: Row) -> list[Exercise]:
    """The exercises of a prompt with their results: of the sums that they are, or in a column with one for each."""
    found = [(mark, float(worth), text) for mark, worth, text in _EXERCISE.findall(prompt)]
    lines = [line for line in prompt.splitlines() if _EXERCISE.match(line)]
    marks = [mark for mark, *_ in found]
    if len(set(marks)) < max(2, len(marks)) or not all(map(_WORTH.search, lines)):
        return []
    results = _of_column(row, marks) or [_of_sum(text) for *_, text in found]
    if not all(results):
        return []
    return [Exercise(mark, worth, result) for (mark, worth, _), result in zip(found, results, strict=True)]


def _of_column(row: Row, marks: Sequence[str]) -> list[str]:
    """The values of the one column that has as many as there are exercises, or one for each mark."""
    held: list[list[str]] = []
    for name, value in row.items():
        if isinstance(value, Mapping) and set(map(str, value)) == set(marks):
            held.append([str({str(key): one for key, one in value.items()}[mark]) for mark in marks])
        elif name != "prompt" and isinstance(value, list) and len(value) == len(marks):
            held.append([str(one) for one in value if isinstance(one, str | int | float)])
    return held[0] if len(held) == 1 and len(held[0]) == len(marks) else []


def _of_sum(text: str) -> str:
    """The value of an exercise that is a sum of whole numbers; empty for others."""
    values = [value for value in set(expression.readings(text).values()) if isinstance(value, int | float)]
    return str(int(values[0])) if len(values) == 1 and values[0] == int(values[0]) else ""


def _says(text: str, exercise: Exercise) -> bool:
    """Whether a text has the mark of an exercise once, and its result behind it, also once."""
    return len(_parts(text, exercise)) == 1


def _parts(text: str, exercise: Exercise) -> list[re.Match[str]]:
    return list(re.finditer(_form(exercise), text, re.IGNORECASE))


def _form(exercise: Exercise) -> str:
    """The pattern of the mark of an exercise with its result behind it."""
    mark, result = re.escape(exercise.mark), re.escape(exercise.result)
    return rf"(?<![\w.])({mark})(?!\w)(\W+(?:[^\W\d]+\W+)*)({result})(?![\w]|\.\d)"


def _written(text: str, said: Exercise, mark: str, result: str) -> str:
    """A text with another mark and another result in the places of those that it has."""
    found = _parts(text, said)[0]
    return f"{text[: found.start()]}{mark}{found[2]}{result}{text[found.end() :]}"
