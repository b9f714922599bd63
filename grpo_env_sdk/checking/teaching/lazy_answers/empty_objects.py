"""Whether an empty object or list, or one with null in every field, earns a good part of the reward."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from statistics import fmean
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold, play_answers, reward_of, scored_by_row
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.objects_in_texts import first_object, object_in_place
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 60}
FEWEST_ROWS, MOSTLY = 6, 0.75
MUCH, MOST = 0.2, 0.35
"""How much more of gold than wrong values an empty object earns where it is a warning, and an error."""
_WRONG = "wrong"
Change = Callable[[Any], Any]


def _emptied(value: Any) -> Any:
    return type(value)()


def _all_null(value: Any) -> Any:
    """An object with null in its fields; a list stays as it is."""
    if not isinstance(value, dict):
        return value
    return {key: _all_null(one) if isinstance(one, dict) and one else None for key, one in value.items()}


def _all_wrong(value: Any) -> Any:
    """Other values in all places."""
    if isinstance(value, dict) and value:
        return {key: _all_wrong(one) for key, one in value.items()}
    if isinstance(value, list) and value:
        return [_all_wrong(one) for one in value]
    return wrong_value(value) if value or value is False or value == 0 else _WRONG


def _wrong_but_null(value: Any) -> Any:
    """Other values in all places but for those that are null, which an object with null everywhere has right."""
    if isinstance(value, dict):
        return {key: _wrong_but_null(one) if one is not None else None for key, one in value.items()}
    return _all_wrong(value)


_TRIED: dict[str, tuple[Change, Change]] = {
    "An empty object or list": (_emptied, _all_wrong),
    "An object with null in every field": (_all_null, _wrong_but_null),
}
"""What is answered in place of gold's object, and the answer that it is compared with."""


@check("G674", needs=("gold",))
def what_is_empty_earns_little(subject: Subject) -> Iterator[Finding]:
    """An empty object or list, or null in every field, earns about as little as wrong values, where gold has others."""
    known = {row: value for row, gold in golds(subject).items() if (value := _object_of(gold)) is not None}
    known = dict(list(known.items())[: MOST_ROWS[subject.effort]])
    for name, (change, other) in _TRIED.items():
        tried = {row: value for row, value in known.items() if change(value) != value}
        empty = _played(subject, tried, change)
        wrong = _played(subject, tried, other) if len(empty) >= FEWEST_ROWS and _share(subject, empty) >= MUCH else {}
        shares = [_part(subject, empty[row], wrong[row]) for row in empty if row in wrong]
        if len(shares) >= FEWEST_ROWS and sum(one >= MUCH for one in shares) >= MOSTLY * len(shares):
            yield _finding(subject, name, list(empty.values()), fmean(shares))
            return


def _object_of(gold: Gold) -> Any:
    """The object or list that gold answers, or gives to its last call."""
    given = gold.calls[-1][1].values() if gold.calls else ()
    return first_object(gold.text) or next((one for one in given if isinstance(one, dict | list) and one), None)


def _turns(gold: Gold, value: Any, other: Any) -> list[Message]:
    """Gold with another object in place of its own."""
    turns = deepcopy(gold.turns)
    texts = list(object_in_place(gold.text, value, other))
    if texts:
        return [*turns[:-1], {**turns[-1], "content": texts[0]}]
    given = functions_of(turns)[-1]["arguments"]
    given.update({key: other for key, one in given.items() if canonical_json(one) == canonical_json(value)})
    return turns


def _played(subject: Subject, tried: Mapping[int, Any], change: Change) -> dict[int, Episode]:
    answers = [(row, _turns(golds(subject)[row], value, change(value))) for row, value in tried.items()]
    return scored_by_row(play_answers(subject, answers))


def _share(subject: Subject, episodes: Mapping[int, Episode]) -> float:
    floor = max(0.0, subject.traits.reward_range[0])
    return fmean((reward_of(one) - floor) / (golds(subject)[row].reward - floor) for row, one in episodes.items())


def _part(subject: Subject, empty: Episode, wrong: Episode) -> float:
    """How much of gold what is empty earns beyond what wrong values earn, and beyond nothing."""
    floor = max(0.0, subject.traits.reward_range[0])
    gold = golds(subject)[empty.row_index].reward
    return (reward_of(empty) - max(floor, reward_of(wrong))) / (gold - floor)


def _finding(subject: Subject, name: str, empty: Sequence[Episode], part: float) -> Finding:
    return Finding(
        f"{name} earns {_share(subject, {one.row_index: one for one in empty}):.0%} of what gold earns on "
        f"{len(empty)} rows, and {part:.0%} more of it than wrong values: what is missing counts as right.",
        "Count a field only where the answer has its key, or where gold has a value: `said.get(key) == right.get(key)` "
        "is true of what both lack.",
        empty[0].row_index, own_turns(empty[0].completion), reward_with_parts(empty[0]),
        less_than_gold(subject, empty[0]), severity="error" if part >= MOST else "warning",
    )  # fmt: skip
