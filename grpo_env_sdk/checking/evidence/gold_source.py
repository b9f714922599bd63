"""The source of gold answers: the environment's `solve`, or a column that looks like an answer."""

import json
from math import isfinite

from grpo_env_sdk.checking.evidence.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.read_columns import columns_read
from grpo_env_sdk.types import Episode

ANSWER_COLUMNS = (
    "answer", "solution", "gold", "ground_truth", "target", "expected", "reference", "label", "correct", "output",
)  # fmt: skip
GOLD_COLUMNS = ("answer", "solution", "gold", "ground_truth", "expected")
"""Names that mean nothing else: a `target` may be a goal, a `label` a class, a `reference` a source."""
JOINED = "{}, {}"
"""Stands for the items of a list with commas between them."""
_TRIED_ON, _PROVEN_ON, _SHORT = 3, 6, 100
_MOSTLY_ON, _MOSTLY = 12, 0.6
"""On how many rows, and on what share of them, a column is right that the scorer reads alone."""


def gold_source(subject: EpisodePlayer) -> str | None:
    """ "solve", "the column 'answer'", or None; a column counts if its values score more than an empty answer.

    A column of another name counts if its values score the top, on most rows at least where the scorer reads no other
    column, and those of other rows do not.
    """
    if subject.traits.solvable:
        return "solve"
    column = _best(subject)
    return f"the column {column[0]!r}" + (f", written {column[1]!r}" if column[1] != "{}" else "") if column else None


def gold_episode(subject: EpisodePlayer, row: int) -> Episode | None:
    """The gold episode of a row."""
    if subject.traits.solvable:
        return subject.play(row, "gold")
    column, template = _best(subject) or ("", "")
    value = subject.row(row).get(column)
    return None if value is None else subject.answer(row, _written(template, value))


def _written(template: str, value: object) -> str:
    """A value in a template; lists and objects as JSON, or lists joined by commas."""
    if template == JOINED:
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return template.format(json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value)


def _templates(value: object) -> tuple[str, ...]:
    return (*ANSWER_TEMPLATES, JOINED) if isinstance(value, list) else ANSWER_TEMPLATES


def _best(subject: EpisodePlayer) -> tuple[str, str] | None:
    """The column and the template whose answers score best, if that is more than an empty answer."""
    return subject.once("gold column", lambda: _find(subject))


def _find(subject: EpisodePlayer) -> tuple[str, str] | None:
    if subject.traits.kind != "single-turn":
        return None
    rows = subject.chosen[:_TRIED_ON]
    best, most = None, _mean(subject, [(row, "") for row in rows])
    middle = sum(subject.traits.reward_range) / 2
    for column in ANSWER_COLUMNS:
        if any(subject.row(row).get(column) is None for row in rows):
            continue  # no such column, or rows without a known answer
        for template in _templates(subject.row(rows[0])[column]):
            reward = _mean(subject, [(row, _written(template, subject.row(row)[column])) for row in rows])
            least = most if column in GOLD_COLUMNS else max(most, middle if isfinite(middle) else most)
            if reward > least:
                best, most = (column, template), reward
    return best or next((found for name in _other_columns(subject) if (found := _proven(subject, name))), None)


def _other_columns(subject: EpisodePlayer) -> list[str]:
    """Columns of other names with short texts, numbers, lists or objects that differ from row to row."""
    first = subject.row(subject.chosen[0])
    names = [
        name for name, value in first.items()
        if isinstance(value, str | int | float | list | dict) and 0 < len(str(value)) <= _SHORT
        and name not in ("prompt", "case_idx", *ANSWER_COLUMNS)
    ]  # fmt: skip
    rows = subject.chosen[:_PROVEN_ON]
    return [name for name in names if len({str(subject.row(row).get(name)) for row in rows}) > 1]


def _proven(subject: EpisodePlayer, column: str) -> tuple[str, str] | None:
    """A column and the template in which its value scores the top on every row, and that of another row does not.

    Where the scorer reads nothing else, it may be too lenient: then the values of other rows lose on most rows.
    """
    alone = columns_read(subject) == {column}
    rows = subject.chosen[: _MOSTLY_ON if alone else _PROVEN_ON]
    values = {row: subject.row(row).get(column) for row in rows}
    top = subject.traits.reward_range[1]
    if len(rows) < _PROVEN_ON or not isfinite(top) or None in values.values():
        return None
    turned = zip(rows, [*rows[1:], rows[0]], strict=True)
    others = [(row, other) for row, other in turned if values[row] != values[other]]
    for template in _templates(values[rows[0]]):
        right = _rewards(subject, [(row, _written(template, values[row])) for row in rows])
        lost = [str(values[row]) for row, reward in zip(rows, right, strict=False) if reward < top]
        marks = len(set(lost)) < len(lost)  # such as "unanswerable", which means something else
        if len(right) == len(rows) and len(lost) <= (1 - _MOSTLY if alone and not marks else 0) * len(rows):
            wrong = _rewards(subject, [(row, _written(template, values[other])) for row, other in others])
            refused = sum(reward < top for reward in wrong)
            lenient = alone and max(_rewards(subject, [(row, "") for row in rows]), default=top) < top
            return (column, template) if wrong and refused >= (_MOSTLY if lenient else 1) * len(wrong) else None
    return None


def _mean(subject: EpisodePlayer, answers: list[tuple[int, str]]) -> float:
    rewards = _rewards(subject, answers)
    return sum(rewards) / len(rewards) if rewards else float("-inf")


def _rewards(subject: EpisodePlayer, answers: list[tuple[int, str]]) -> list[float]:
    return [episode.reward for episode in subject.answers(answers) if episode.reward is not None]
