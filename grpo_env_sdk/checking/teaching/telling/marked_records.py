"""Whether the records that a tool lists have a field, or ids, that mark the one which is the answer."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.marked_ids import is_of_scorers, marked_ids
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, TASTED, FEWEST_RECORDS, FEWEST_FOUND, MOSTLY = 10, 2, 3, 2, 0.8
"""On how many rows tools are asked, and at first; the fewest records that are listed, and that are found with a
question, and on which share of rows one is marked."""
MOST_CROSSED = 24
"""How often the question of another row is asked, and the words of other records that are found."""
_PAIR = regex(r"([^\W\d]\w*)[\"']?\s*[:=]\s*[\"']?([\w.-]*\w)")
_QUERIES = ("", " ", "e", "the")
"""Queries that say nothing of a row."""
_OF_SCORERS = regex(
    r"relevan|correct|is_right|answer|target|gold|truth|hidden|internal|secret|expected|solution|match|^_",
    re.IGNORECASE,
)
_OF_RANKS = regex(r"score|rank|priority|weight|prob|confidence|similarity|label|flag|best", re.IGNORECASE)
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
        ways = (_by_fields(subject, known), _by_questions(subject, known), marked_ids(subject, known))
        yield from islice(chain.from_iterable(ways), 1)


def _by_fields(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that a field marks it, whatever the tool is asked."""
    wanted = _all_wanted(known)
    looks = [(tool, look) for tool in subject.tools for look in _looks(tool)]
    for tool, look in looks:
        tried = [(gold.row, [look, *gold.turns[-1:]]) for gold in known]
        tasted = [_marks(one, wanted[one.row_index]) for one in play_answers(subject, tried[:TASTED])]
        if not any(tasted):
            continue
        marks = [_marks(one, wanted[one.row_index]) for one in play_answers(subject, tried)]
        for key in dict.fromkeys(key for of_row in marks for key in of_row):
            found = [mark for of_row in marks if (mark := of_row.get(key)) and len(mark.others) + 1 >= FEWEST_RECORDS]
            enough = len(found) >= max(FEWEST_ROWS, MOSTLY * len(known)) and len({one.place for one in found}) > 1
            if enough and not _is_asked(subject, tool, key) and _tells(key, found):
                yield _finding(subject, tool, found, len(known))
                return


def _by_questions(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that a field marks it in what gold asks for, and also where the question of another row is asked."""
    wanted = _all_wanted(known)
    for tool in filter(may_only_look, subject.tools):
        calls = {gold.row: given for gold in known if (given := gold.first_given(name_of(tool)))}
        if len(calls) < FEWEST_ROWS or len(set(map(canonical_json, calls.values()))) < FEWEST_ROWS:
            continue
        own = _asked(subject, known, tool, list(calls.items())[: 2 * TASTED])
        if not any(_marks(one, wanted[one.row_index]) for one in own):
            continue
        own = _asked(subject, known, tool, list(calls.items()))
        pairs = [(row, calls[other]) for row in calls for other in calls if calls[row] != calls[other]]
        pairs = pairs[:: max(1, len(pairs) // MOST_CROSSED)] + list(_by_other_records(own, calls, wanted))
        others = _asked(subject, known, tool, pairs)
        placed = sum(_place(one, wanted[one.row_index]) is not None for one in own)
        marks = [_marks(one, wanted[one.row_index]) for one in own]
        for key in dict.fromkeys(key for of_row in marks for key in of_row):
            found = [of_row[key] for of_row in marks if key in of_row]
            if len(found) < max(FEWEST_ROWS, MOSTLY * placed, len(calls) / 2) or _is_asked(subject, tool, key):
                continue
            listed = [one for one in others if _place(one, wanted[one.row_index]) is not None]
            also = [mark for one in listed if (mark := _marks(one, wanted[one.row_index]).get(key))]
            moves = len({one.place for one in (*found, *also)}) > 1
            if moves and len(also) == len(listed) >= TASTED and _is_same(found + also) and _tells(key, found):
                yield _finding(subject, tool, found, len(calls), "also where something else is asked")
                return


def _asked(
    subject: Subject, known: Sequence[Gold], tool: dict[str, Any], calls: Iterable[tuple[int, dict[str, Any]]]
) -> list[Episode]:
    """The episodes of rows in which a tool is called like this first."""
    of_row = {gold.row: gold for gold in known}
    tried = [(row, [call_message(name_of(tool), **given), *of_row[row].turns[-1:]]) for row, given in calls]
    return play_answers(subject, tried)


def _by_other_records(
    own: Sequence[Episode], calls: dict[int, dict[str, Any]], wanted: dict[int, set[str]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The calls that ask, in each row, for the words of a record that was found and is not the answer."""
    for one in own:
        row, place = one.row_index, _place(one, wanted[one.row_index])
        asked = [name for name, value in calls[row].items() if isinstance(value, str) and " " in value.strip()]
        if place is None or len(asked) != 1:
            continue
        for number, record in enumerate(_listed(one, wanted[row])):
            longest = max((value for value in record.values() if isinstance(value, str)), key=len, default="")
            if number != place and " " in longest:
                yield row, {**calls[row], asked[0]: longest}
                break


def _all_wanted(known: Sequence[Gold]) -> dict[int, set[str]]:
    form = form_of([one.text for one in known])
    return {gold.row: _wanted(gold, form) for gold in known}


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


def _marks(episode: Episode, wanted: set[str]) -> dict[str, Mark]:
    """The fields whose value in the record of the answer is above, or another than, those in all other records."""
    records, own = _listed(episode, wanted), _place(episode, wanted)
    if own is None:
        return {}
    found = {}
    for key, value in records[own].items():
        others: tuple[Any, ...] = tuple(one.get(key) for place, one in enumerate(records) if place != own)
        if isinstance(value, int | float) and all(isinstance(one, int | float) for one in others):
            is_mark = value > max(others)
        elif isinstance(value, int | float) and set(others) == {None}:
            is_mark = bool(value)
        else:
            is_mark = isinstance(value, str) and len(set(map(str, others))) == 1 and value not in others
        if is_mark and str(value).casefold() not in wanted:
            found[key] = Mark(key, value, others, own, episode)
    return found


def _place(episode: Episode, wanted: set[str]) -> int | None:
    """Which of the records, of which there are some, is the answer; None where none or several are."""
    records = _listed(episode, wanted)
    own = [place for place, one in enumerate(records) if wanted & {str(value).casefold() for value in one.values()}]
    return own[0] if len(records) >= FEWEST_FOUND and len(own) == 1 else None


def _listed(episode: Episode, wanted: set[str]) -> list[dict[str, Any]]:
    """The records of the first reply: objects of JSON, or lines or paragraphs with `name: value` in them."""
    if not episode.tool_calls or not isinstance(reply := episode.tool_calls[0]["content"], str):
        return []
    data = read_json(reply, NO_JSON)
    if data is not NO_JSON:
        return _records(data)
    parts = [part for part in re.split(r"\n\s*\n|\n-{3,}\n", reply) if part.strip()]
    parts = parts if len(parts) >= FEWEST_RECORDS else [part for part in reply.splitlines() if part.strip()]
    return [_of_text(part.casefold(), wanted) for part in parts] if any(map(_PAIR.search, parts)) else []


def _of_text(part: str, wanted: set[str]) -> dict[str, Any]:
    """The values with names in a text, and the word of it that is wanted."""
    named = {name: float(value) if value.isdecimal() else value for name, value in _PAIR.findall(part)}
    own = [word for word in re.findall(r"\w+(?:[.-]\w+)*", part) if word in wanted]
    return named | dict(zip([""], own, strict=False))


def _records(value: Any) -> list[dict[str, Any]]:
    """The first list of objects in a reply."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return value
    inside = value.values() if isinstance(value, dict) else ()
    return next((found for one in inside if (found := _records(one))), [])


def _is_asked(subject: Subject, tool: dict[str, Any], key: str) -> bool:
    """Whether the prompt or the tool speaks of the field, which may be what is asked for."""
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key))
    told = [word.casefold() for word in words if word.casefold() not in ("is", "was", "has")] or [key.casefold()]
    stem = key.casefold() if told[0] == "answer" else told[0][:5]  # prompts say what to answer
    rows = [gold.row for gold in some_golds(subject)[:1]]
    return any(stem in prompt_text(subject, row).casefold() for row in rows) or stem in canonical_json(tool).casefold()


def _tells(key: str, found: Sequence[Mark]) -> bool:
    same = _is_same(found)
    said = isinstance(found[0].own, str) and same and is_of_scorers(found[0].own, map(str, found[0].others))
    return said or bool(_OF_SCORERS.search(key) or (same and _OF_RANKS.search(key)))


def _is_same(found: Sequence[Mark]) -> bool:
    return len({one.own for one in found}) == 1 and len({other for one in found for other in one.others}) == 1


def _finding(subject: Subject, tool: dict[str, Any], found: Sequence[Mark], of: int, when: str = "") -> Finding:
    one = found[0]
    given = own_turns(one.episode.completion)[0]["tool_calls"][0]["function"]["arguments"]
    rest = "none" if set(one.others) == {None} else f"{quoted(sorted(set(map(str, one.others)))[-1])} or less"
    return Finding(
        f"{name_of(tool)} marks the answer: {one.key!r} is {one.own!r} in the record of what gold says, and "
        f"{rest} in the others, on {len(found)} of {of} rows, "
        f"{when or 'whatever is asked'} ({canonical_json(given)}).",
        f"Leave {one.key!r} out of what {name_of(tool)} shows.",
        one.episode.row_index, own_turns(one.episode.completion), reward_with_parts(one.episode),
        less_than_gold(subject, one.episode),
    )  # fmt: skip
