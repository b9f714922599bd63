"""Whether the number that gold gives a line is the one that the line is shown with, or one beside it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import (
    gold_episodes,
    less_than_gold,
    play_all,
    play_answers,
    was_scored,
    won_of,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, schema_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.prompts.likely_values import likely_arguments, values_at
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_LINES, FEWEST_NUMBERS, MOSTLY, SELDOM = 3, 8, 0.9, 0.5
"""How long a list is, how many rows show where its numbers begin, and on which share of the rows the prompt names the
line beside gold's, and gold's own."""
_LINE = regex(r"^\W{0,4}(?:no\.? ?|line |row |item |page |step )?(\d{1,4})\b[.):\]|#-]*\s+(\S.*)$", re.I | re.MULTILINE)
_BESIDE = regex(
    r"\b(?:after|before|below|above|behind|beneath|next|following|previous|preceding|under|over|between)\b|"
    r"\b(?:from|at|with) (?:0|zero)\b|\b(?:0|zero)-(?:based|indexed)\b",
    re.IGNORECASE,
)
"""Words with which another place than that of the line is meant, or with which 0 is the first one."""
_IN_LIST = regex(r"\b(?:list(?:ed)?|lines?|position|rows?|entry|menu|shown)\b", re.IGNORECASE)
"""What a schema says of a number that is the place in a list."""
_ZERO = regex(r"(?<![\w.-])0(?!\w|\.\d)|\bzero\b|index", re.IGNORECASE)


def numbers_beside_lines(subject: Subject) -> Iterator[Finding]:
    """The finding that gold gives a line that the prompt names another number than the one it is shown with."""
    if _ZERO.search(canonical_json(subject.tools)):
        return
    for (act, name), slots in slots_of(subject).items():
        numbered = [slot for slot in slots if type(slot.value) is int and not _BESIDE.search(_asked(subject, slot))]
        lists = {slot.gold.row: found for slot in numbered if (found := _lines(subject, slot))}
        of_lists = [slot for slot in numbered if slot.gold.row in lists]
        if len(of_lists) < max(FEWEST_ROWS, MOSTLY * len(slots)):
            continue
        named = {slot.gold.row: _named(lists[slot.gold.row], _asked(subject, slot)) for slot in of_lists}
        share = {
            by: sum(slot.value + by in named[slot.gold.row] for slot in of_lists) / len(of_lists) for by in (-1, 0, 1)
        }
        beside = next((by for by in (1, -1) if share[by] >= MOSTLY and share[0] <= SELDOM), 0)
        if beside or _counts_from_zero(subject, act, name, of_lists, lists):
            yield from _finding_if_refused(subject, act, name, of_lists, lists, beside or 1)


def _counts_from_zero(
    subject: Subject, act: str, name: str, slots: Sequence[Slot], lists: Mapping[int, Mapping[int, str]]
) -> bool:
    """Whether a number of a list is 0 now and then and never the last one, where the list is shown from 1 on."""
    if not _IN_LIST.search(str(schema_of(subject.tools, act, name).get("description"))):
        return False
    from_one = all(min(lists[slot.gold.row]) >= 1 and slot.value < max(lists[slot.gold.row]) for slot in slots)
    values = [slot.value for slot in slots]
    return from_one and 0 in values and len(values) >= FEWEST_NUMBERS and len(set(values)) >= FEWEST_LINES


def _finding_if_refused(
    subject: Subject, act: str, name: str, slots: Sequence[Slot], lists: Mapping[int, Mapping[int, str]], beside: int
) -> Iterator[Finding]:
    """The finding, if the number as it is shown is refused on every row."""
    played = play_all(subject, [(slot.gold.row, with_values([slot], [slot.value + beside])) for slot in slots])
    as_shown = [episode for episode in played if was_scored(episode)]
    if len(as_shown) < FEWEST_ROWS or won_of(subject, as_shown):
        return
    episode = as_shown[0]
    slot = next(one for one in slots if one.gold.row == episode.row_index)
    number = slot.value + beside
    what = "a message" if act == TEXT else f"{name!r} of {act}"
    line = quoted(lists[slot.gold.row][number])
    yield Finding(
        f"Gold gives {what} another number than the one that is shown: in row {slot.gold.row} the line that is meant "
        f"is shown with {number}, {line}, and gold gives {slot.value}. The number that is shown scores "
        f"{episode.reward:g} there, and less than gold on all {len(as_shown)} rows.",
        "Count in the tool as in what it shows, or say in the schema from where it counts.",
        slot.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip


def _asked(subject: Subject, slot: Slot) -> str:
    """What the prompt says beside a list with numbers."""
    prompt = prompt_text(subject, slot.gold.row)
    return _LINE.sub("", prompt) if _numbered(prompt) else prompt


def _named(lines: Mapping[int, str], prompt: str) -> set[int]:
    """The numbers of the lines with a word that the prompt has, and no other line."""
    words = {number: words_of(line) for number, line in lines.items()}
    often = Counter(word for found in words.values() for word in found)
    asked = words_of(prompt)
    return {number for number, found in words.items() if any(often[word] == 1 and word in asked for word in found)}


def _lines(subject: Subject, slot: Slot) -> dict[int, str]:
    """The lines of the list with numbers that was shown last before an act; else of one that some tool shows."""
    completion = gold_episodes(subject)[slot.gold.row].completion
    own = places_of_turns(completion)
    shown = [prompt_text(subject, slot.gold.row), *texts_of(completion[: own[slot.turn]])]
    found = [lines for text in shown if (lines := _numbered(text))]
    if not found and slot.act != TEXT:
        found = [lines for text in _looked_at(subject, slot.gold.row) if (lines := _numbered(text))]
    return found[-1] if found else {}


def _looked_at(subject: Subject, row: int) -> list[str]:
    """What the tools show that only look, each asked for the likeliest values of the row, before anything changed."""
    looks, values = [], subject.row(row)
    for tool in filter(only_looks, subject.tools_of(row)):
        labels = next(likely_arguments(tool, values, 1), None)
        given = None if labels is None else values_at(tool, values, labels)
        looks += [] if given is None else [call_message(name_of(tool), **given)]
    played = play_answers(subject, [(row, [*looks, ""])]) if looks else []
    return [str(call["content"]) for episode in played for call in episode.tool_calls if not call["error"]]


def _numbered(text: str) -> dict[int, str]:
    """The lines of a list by their numbers, which go up by one; empty where a text has none."""
    data = read_json(text, NO_JSON)
    if data is not NO_JSON:
        return _of_records(data)
    lines = {int(number): line for number, line in _LINE.findall(text)}
    return lines if _counts(list(lines)) else {}


def _of_records(data: Any) -> dict[int, str]:
    """Records by the field that counts them."""
    if isinstance(data, dict):
        return next((found for value in data.values() if (found := _of_records(value))), {})
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return {}
    for key in data[0] if data else ():
        numbers = [item.get(key) for item in data]
        if all(type(number) is int for number in numbers) and _counts(numbers):
            return {
                int(item[key]): canonical_json({name: value for name, value in item.items() if name != key})
                for item in data
            }
    return {}


def _counts(numbers: Sequence[int]) -> bool:
    return (
        len(numbers) >= FEWEST_LINES
        and numbers[0] in (0, 1)
        and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))
    )
