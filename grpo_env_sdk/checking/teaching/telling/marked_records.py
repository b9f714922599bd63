"""Whether the records that a tool lists have a field, or ids, that mark the one which is the answer."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, less_than_gold, play_answers, quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.marked_ids import is_of_scorers, marked_ids
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, TASTED, FEWEST_RECORDS, MOSTLY = 10, 2, 3, 0.8
"""On how many rows tools are asked, and at first; the fewest records, and on which share of rows one is marked."""
_QUERIES = ("", " ", "e", "the")
"""Queries that say nothing of a row."""
_OF_SCORERS = re.compile(
    r"relevan|correct|is_right|answer|target|gold|truth|hidden|internal|secret|expected|solution|match|^_",
    re.IGNORECASE,
)
_OF_RANKS = re.compile(r"score|rank|priority|weight|prob|confidence|similarity|label|flag|best", re.IGNORECASE)
"""The names of fields that are there for the scorer, and of those that may be, if they are the same on all rows."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A field of the record that is the answer, its value, and those of the other records."""

    key: str
    own: Any
    others: tuple[Any, ...]
    place: int
    episode: Episode


@check("G590", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def records_are_not_marked(subject: Subject) -> Iterator[Finding]:
    """No field of the records that a tool lists, and no part of ids, marks the one that is the answer."""
    known = some_golds(subject)[:MOST_ROWS]
    if len(known) >= FEWEST_ROWS:
        yield from islice(chain(_by_fields(subject, known), marked_ids(subject, known)), 1)


def _by_fields(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that a field marks it, whatever the tool is asked."""
    wanted = {gold.row: _wanted(gold, form_of([one.text for one in known])) for gold in known}
    looks = [(tool, look) for tool in subject.tools for look in _looks(tool)]
    for tool, look in looks:
        tried = [(gold.row, [look, *gold.turns[-1:]]) for gold in known]
        tasted = [_marks(subject, one, wanted[one.row_index]) for one in play_answers(subject, tried[:TASTED])]
        if not any(tasted):
            continue
        marks = [_marks(subject, one, wanted[one.row_index]) for one in play_answers(subject, tried)]
        for key in dict.fromkeys(key for of_row in marks for key in of_row):
            found = [of_row[key] for of_row in marks if key in of_row]
            enough = len(found) >= max(FEWEST_ROWS, MOSTLY * len(known)) and len({one.place for one in found}) > 1
            if enough and not _is_asked(subject, tool, key) and _tells(key, found):
                yield _finding(subject, tool, found, len(known))
                return


def _wanted(gold: Gold, form: tuple[str, str]) -> set[str]:
    """What gold chooses: its last words, and the arguments of its last call."""
    last = [given for _, given in gold.calls[-1:]]
    values = [without_form(gold.text, form), gold.text, *(value for given in last for value in given.values())]
    return {str(value).strip(" .").casefold() for value in values if isinstance(value, str | int | float)} - {""}


def _looks(tool: dict[str, Any]) -> list[Message]:
    """Calls of a tool that say nothing of a row."""
    needed = required_of(tool)
    if not needed:
        return [call_message(name_of(tool))]
    schema = properties_of(tool).get(needed[0], {})
    is_text = len(needed) == 1 and schema.get("type") == "string" and "enum" not in schema
    return [call_message(name_of(tool), **{needed[0]: query}) for query in _QUERIES] if is_text else []


def _marks(subject: Subject, episode: Episode, wanted: set[str]) -> dict[str, Mark]:
    """The fields whose value in the record of the answer is above, or another than, those in all other records."""
    records: list[dict[str, Any]] = []
    with suppress(ValueError):
        records = _records(json.loads(episode.tool_calls[0]["content"])) if episode.tool_calls else []
    own = [place for place, one in enumerate(records) if wanted & {str(value).casefold() for value in one.values()}]
    if len(records) < FEWEST_RECORDS or len(own) != 1:
        return {}
    found = {}
    for key, value in records[own[0]].items():
        others: tuple[Any, ...] = tuple(one.get(key) for place, one in enumerate(records) if place != own[0])
        if isinstance(value, int | float) and all(isinstance(one, int | float) for one in others):
            is_mark = value > max(others)
        else:
            is_mark = isinstance(value, str) and len(set(map(str, others))) == 1 and value not in others
        if is_mark and str(value).casefold() not in wanted:
            found[key] = Mark(key, value, others, own[0], episode)
    return found


def _records(value: Any) -> list[dict[str, Any]]:
    """The first list of objects in a reply."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return value
    inside = value.values() if isinstance(value, dict) else ()
    return next((found for one in inside if (found := _records(one))), [])


def _is_asked(subject: Subject, tool: dict[str, Any], key: str) -> bool:
    """Whether the prompt or the tool speaks of the field, which may be what is asked for."""
    stem = re.split(r"_", key.strip("_"))[0][:5].casefold()
    rows = [gold.row for gold in some_golds(subject)[:1]]
    return any(stem in prompt_text(subject, row).casefold() for row in rows) or stem in canonical_json(tool).casefold()


def _tells(key: str, found: Sequence[Mark]) -> bool:
    same = len({one.own for one in found}) == 1 and len({other for one in found for other in one.others}) == 1
    said = isinstance(found[0].own, str) and same and is_of_scorers(found[0].own, map(str, found[0].others))
    return said or bool(_OF_SCORERS.search(key) or (same and _OF_RANKS.search(key)))


def _finding(subject: Subject, tool: dict[str, Any], found: Sequence[Mark], of: int) -> Finding:
    one = found[0]
    given = own_turns(one.episode.completion)[0]["tool_calls"][0]["function"]["arguments"]
    return Finding(
        f"{name_of(tool)} marks the answer: {one.key!r} is {one.own!r} in the record of what gold says, and "
        f"{quoted(sorted(set(map(str, one.others)))[-1])} or less in the others, on {len(found)} of {of} rows, "
        f"whatever is asked ({canonical_json(given)}).",
        f"Leave {one.key!r} out of what {name_of(tool)} shows.",
        one.episode.row_index, own_turns(one.episode.completion), reward_with_parts(one.episode),
        less_than_gold(subject, one.episode),
    )  # fmt: skip
