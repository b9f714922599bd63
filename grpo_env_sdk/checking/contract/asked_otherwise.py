"""Whether answers follow another value of a config parameter, with which the prompts ask for something else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.idle_config import (
    differing,
    is_read_elsewhere,
    other_values,
    seconds_with,
)
from grpo_env_sdk.checking.evidence.fresh_instances import end_left_threads, fresh_instance, splits_of, with_value
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import content_text, prompt_messages
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError
from grpo_env_sdk.types import Row

FEWEST_ROWS, MOST_ROWS = 6, 40
_UNITS = (
    "celsius|centigrade|c fahrenheit|f kelvin|k",
    "millimetre|millimeter|mm centimetre|centimeter|cm metre|meter|m kilometre|kilometer|km inch|inches yard "
    "foot|feet mile",
    "gram|g kilogram|kilo|kg tonne|ton pound|lb ounce|oz",
    "millilitre|milliliter|ml litre|liter|l gallon pint",
    "second|sec minute|min hour day week month year",
    "radian degree",
)
_OTHERS = (
    "ascending|increasing descending|decreasing",
    "smallest|lowest|least|minimum|fewest largest|highest|greatest|most|maximum|biggest",
    "shortest longest",
    "cheapest dearest|priciest",
    "earliest|soonest latest",
    "oldest|eldest youngest|newest",
    "uppercase|capitals|upper-case lowercase|lower-case",
    "binary octal decimal hexadecimal|hex",
    "sum product difference",
    "encode|encrypt decode|decrypt",
    "even odd",
)
"""Words of which another one asks for another answer: units, and what else a question may want instead."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Two prompts of one row that differ in one such word, and whether the second still says the first one's unit."""

    usual: str
    other: str
    is_shown: bool


@check("C159", needs=("rows",), effort="default", severity="error")
def answers_follow_what_is_asked(subject: Subject) -> Iterator[Finding]:
    """Where another value of a parameter makes prompts ask for another unit or order, the answers differ too."""
    for name, used, others in other_values(subject):
        for value in others if isinstance(used, bool | str) else ():
            if subject.time_left and (asked := _same_answers(subject, name, value)):
                usual, other, of, unit = asked
                yield _finding(name, used, value, usual, other, of, unit)
                return


def _finding(name: str, used: Any, value: Any, usual: str, other: str, of: int, is_shown: bool) -> Finding:
    return Finding(
        f"With {name}={value!r} the prompts ask for {quoted(other)} and not for {quoted(usual)}, as with {used!r}, and "
        f"all other columns are the same, on {of} of {of} rows; nothing that scores or answers reads {name!r}.",
        f"Write what is right for {name}={value!r} into the rows, or let the scorer read it.",
        input={name: value}, severity="error" if is_shown else "warning",
    )  # fmt: skip


def _same_answers(subject: Subject, name: str, value: Any) -> tuple[str, str, int, bool] | None:
    """The words that prompts exchange with another value, on how many rows, where nothing else is exchanged."""
    try:
        usual, before = fresh_instance(subject, splits_of(subject)[-1])
        other, rows = with_value(subject, name, value, seconds_with(subject))
        if list(rows.indices) != list(before.indices):
            return None
        if is_read_elsewhere(subject, {name, *differing(usual, other)}):
            return None
        pairs = [(before.row(row), rows.row(row)) for row in list(rows.indices)[:MOST_ROWS]]
    except DeadlineError:
        end_left_threads()
        return None
    except GrpoEnvError:
        return None
    found = [_asked(_prompt(one), _prompt(two)) for one, two in pairs]
    answers = [_rest(one) for one, _ in pairs]
    if len(pairs) < FEWEST_ROWS or None in found or len({str(one) for one in answers}) < FEWEST_ROWS // 2:
        return None
    words = {(one.usual, one.other) for one in found if one}
    if len(words) != 1 or answers != [_rest(two) for _, two in pairs]:
        return None
    usual_word, other_word = words.pop()
    if _of(_UNITS, usual_word, other_word) and not all(any(map(_is_number, one.values())) for one in answers):
        return None
    return usual_word, other_word, len(pairs), all(one.is_shown for one in found if one)


def _rest(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("prompt", "case_idx")}


def _is_number(value: Any) -> bool:
    return re.fullmatch(r"-?\d+(?:[.,]\d+)?", str(value)) is not None


def _prompt(row: Row) -> str:
    return "\n".join(content_text(message.get("content")) for message in prompt_messages(row["prompt"]))


def _asked(usual: str, other: str) -> Asked | None:
    """The only word in which two prompts differ, if it is one that asks for another answer."""
    one, two = _words(usual), _words(other)
    parts = [part for part in SequenceMatcher(None, one, two, autojunk=False).get_opcodes() if part[0] != "equal"]
    if len(parts) != 1:
        return None
    _, start, end, begin, stop = parts[0]
    if end - start != 1 or stop - begin != 1:
        return None
    before, after = one[start], two[begin]
    if _of(_OTHERS, before, after):
        return Asked(before, after, is_shown=True)
    group = _of(_UNITS, before, after)
    if not group or (start and one[start - 1].isdigit()):
        return None  # a number with its unit is something that is given
    rest = [*two[:begin], *two[stop:]]
    return Asked(before, after, is_shown=any(_form(word, group) not in (-1, _form(after, group)) for word in rest))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d]+(?:-[^\W\d]+)*|\d+", text)


def _of(groups: Sequence[str], one: str, other: str) -> str:
    """The group in which two words are different things."""
    places = {group: {_form(one, group), _form(other, group)} for group in groups}
    return next((group for group, both in places.items() if -1 not in both and len(both) > 1), "")


def _form(word: str, group: str) -> int:
    """Which thing of a group a word is; -1 for none."""
    lowered = word.casefold()
    singular = {lowered, lowered.removesuffix("s")}
    return next((place for place, names in enumerate(group.split()) if singular & set(names.split("|"))), -1)
