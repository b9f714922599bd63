"""Whether a file, table or field that is named after what scorers compare with has gold's answer, however short."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, leaves, read_json, written_path
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER, Opened, explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.told_in_places import Door, told_at
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

TASTED, MOST_ROWS, DIFFERENT, MOSTLY, MOST_LINES = 5, 10, 3, 0.9, 6
"""On how many rows places are opened at first and at most, how many answers differ, on which share of the rows the
place has the answer, and of how many lines a text is at most whose lines are compared with it."""
_OF_DATA = regex(r"labels?|targets?|meta|\w*(?:info|data|config)", re.IGNORECASE)
"""Names of fields that data have as well."""
_PAIR = regex(r"\s*[\"']?(\w[\w .-]{0,30}?)[\"']?\s*[:=]\s*(\S.*)")
_LEAVES = 200
Doors = dict[str, Door]
"""By place, what holds the answer there."""


def told_by_name(subject: Subject) -> Iterator[Finding]:
    """The finding that a place with such a name, which gold does not look at, has gold's whole answer."""
    known = [gold for gold in some_golds(subject) if gold.text and gold.calls][:MOST_ROWS]
    form = form_of([gold.text for gold in known])
    wanted = {gold.row: bare(without_form(gold.text, form)) for gold in known}
    if len(known) < FEWEST_ROWS or len(set(wanted.values())) < DIFFERENT:
        return
    if not any(_doors(subject, known[:TASTED], wanted)):
        return
    by_place: dict[str, list[Door]] = defaultdict(list)
    for of_row in _doors(subject, known, wanted):
        for place, door in of_row.items():
            by_place[place].append(door)
    for doors in by_place.values():
        enough = len(doors) >= max(FEWEST_ROWS, MOSTLY * len(known))
        if enough and len({door.word for door in doors}) >= DIFFERENT:
            yield from told_at(subject, doors, len(known), named=True)


def _doors(subject: Subject, known: list[Gold], wanted: Mapping[int, str]) -> list[Doors]:
    """For each row, the places that have its answer."""
    explored = explore(subject, [gold.row for gold in known])
    return [_of_row(subject, gold, explored[gold.row].opened, wanted[gold.row]) for gold in known[: len(explored)]]


def _of_row(subject: Subject, gold: Gold, opened: list[Opened], wanted: str) -> Doors:
    """The places that gold does not look at, whose only value is the answer."""
    of_gold = {canonical_json([name, given]) for name, given in gold.calls}
    prompt = prompt_text(subject, gold.row).casefold()
    values: dict[str, set[str]] = defaultdict(set)
    found: Doors = {}
    for one in opened:
        if canonical_json([one.tool, one.arguments]) in of_gold:
            continue
        given = re.sub(r"\d+", "9", canonical_json(one.arguments))
        for key, value in _values(one.reply):
            if not _is_kept(given, key, prompt):
                continue
            place = f"{one.tool} {given} {key}"
            values[place].add(bare(value))
            if bare(value) == wanted:
                found[place] = Door(gold.row, one, value, named=True)
    return {place: door for place, door in found.items() if len(values[place]) == 1}


def _is_kept(given: str, key: str, prompt: str) -> bool:
    """Whether what is opened, or the field, is named after what scorers compare with, of which no prompt speaks."""
    field = KEPT_FOR_THE_SCORER.search(key.rpartition(".")[2])
    names = [KEPT_FOR_THE_SCORER.search(given), None if field and _OF_DATA.fullmatch(field[0]) else field]
    return any(name and (name[0].casefold().startswith("answer") or not _speaks_of(prompt, name[0])) for name in names)


def _speaks_of(prompt: str, name: str) -> bool:
    return name.casefold().rstrip("s") in prompt


def _values(reply: str) -> Iterator[tuple[str, str]]:
    """The values of a reply with their places: those of JSON, of lines such as `key: value`, and short lines."""
    data = read_json(reply, NO_JSON)
    if data is not NO_JSON:
        yield from _of_data(data)
        return
    lines = [line for line in reply.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if pair := _PAIR.fullmatch(line):
            yield pair[1], pair[2]
        if len(lines) <= MOST_LINES:
            yield f"line {number}", line


def _of_data(data: Any) -> Iterator[tuple[str, str]]:
    for path, value in leaves(data, _LEAVES):
        if isinstance(value, str) and (":" in value or "\n" in value or value.startswith("[")):
            yield from ((f"{written_path(path)}.{key}", found) for key, found in _values(value))
        elif value is not None:
            yield written_path(path), str(value)
