"""Whether any one of several acts of gold, or of the items that a call takes, may be left out, and not all of them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, won_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Turns, acts_of, looking_tools, paid, played_turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, TASTED = 6, 2
LOST = 0.5
"""On what share of the rows gold without any of them scores less, so that they do something."""
_ALL = regex(r"\b(?:all|every\w*|each|both|exactly|whole|complete|only the|no others?|nothing else)\b", re.I)
_ENOUGH = regex(
    r"\b(?:any|one of|at least|at most|up to|optional\w*|some|enough|as (?:many|much|few)|fewer|until|reach\w*|unless|"
    r"most|more than)\b",
    re.IGNORECASE,
)
"""What a prompt says where all acts count, and where less than all may be enough."""
_ITEM = regex(r"\w[\w .'#/-]{0,40}")


@dataclass(frozen=True, slots=True)
class _Several:
    """Gold with several acts of one kind: without the first, without the last, and without all of them."""

    row: int
    first: Turns
    last: Turns
    none: Turns


def without_any_one(subject: Subject) -> Iterator[Finding]:
    """The finding that gold without any one of several acts that are of one kind is gold, and without all is not."""
    by_kind: dict[str, list[_Several]] = {}
    for gold in some_golds(subject):
        if not _ENOUGH.search(prompt_text(subject, gold.row)):
            for kind, one in (*_acts(subject, gold), *_items(subject, gold)):
                by_kind.setdefault(kind, []).append(one)
    for kind, several in by_kind.items():
        if len(several) >= FEWEST_ROWS and _may_be_left_out(subject, several[:TASTED]):
            yield from _found(subject, kind, several)
            return


def _found(subject: Subject, kind: str, several: Sequence[_Several]) -> Iterator[Finding]:
    if not _may_be_left_out(subject, several):
        return
    none = won_of(subject, played_turns(subject, {one.row: one.none for one in several}))
    if len(none) > (1 - LOST) * len(several):
        return
    won = won_of(subject, played_turns(subject, {one.row: one.last for one in several}))
    asked = all(_ALL.search(prompt_text(subject, one.row)) for one in several)
    finding = paid(
        subject, won, len(several), f"Gold without any one of {kind}, as the first or the last,",
        "Score everything that was asked for: what is missing counts as much as what is too much.",
    )  # fmt: skip
    yield replace(finding, severity="error" if asked else "warning")


def _may_be_left_out(subject: Subject, several: Sequence[_Several]) -> bool:
    """Whether gold without the first, and without the last, is gold on all of these rows."""
    return all(
        len(won_of(subject, played_turns(subject, turns))) == len(several)
        for turns in ({one.row: one.first for one in several}, {one.row: one.last for one in several})
    )


def _acts(subject: Subject, gold: Gold) -> Iterator[tuple[str, _Several]]:
    """By tool, gold with several calls of it that differ, all of them with values that were shown before."""
    acts = acts_of(gold)
    made: dict[str, list[int]] = {}
    for place, act in enumerate(acts):
        if act.get("tool_calls"):
            made.setdefault(act["tool_calls"][0]["function"]["name"], []).append(place)
        elif place < len(acts) - 1:
            made.setdefault("", []).append(place)
    for tool, places in made.items():
        given = [_given(acts[place]) for place in places]
        if len({canonical_json(one) for one in given}) < len(given) or tool in looking_tools(subject):
            continue
        if (
            len(given) > 1
            and not FOR_READERS.search(tool)
            and all(_is_shown(subject, gold, one, given) for one in given)
        ):
            kind = f"its calls of {tool}" if tool else "its messages"
            yield kind, _Several(gold.row, *(
                [act for place, act in enumerate(acts) if place not in left_out]
                for left_out in (places[:1], places[-1:], places)
            ))  # fmt: skip


def _given(act: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call, or the text of a message."""
    calls = act.get("tool_calls")
    given = calls[0]["function"]["arguments"] if calls else {"": str(act.get("content") or "").strip()}
    return given if isinstance(given, dict) else {}


def _is_shown(subject: Subject, gold: Gold, given: Mapping[str, Any], all_given: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a value that no other of these calls has was in the prompt or in a reply."""
    own = [value for key, value in given.items() if all(one is given or one.get(key) != value for one in all_given)]
    named = [str(value) for value in own if isinstance(value, str | int) and (value != "" and value is not True)]
    if "" in given:  # a price that is offered, or a number that is guessed, is not shown
        named = [value for value in named if value[:1].isalpha()]
    return any(says(_told(subject, gold), value) for value in named)


def _told(subject: Subject, gold: Gold) -> str:
    """The prompt and all replies."""
    messages = [one for one in gold_episodes(subject)[gold.row].messages if one["role"] != "assistant"]
    return "\n".join(texts_of(messages))


def _items(subject: Subject, gold: Gold) -> Iterator[tuple[str, _Several]]:
    """By tool and parameter, gold with several items in the list that a call takes, all of them shown before."""
    acts = acts_of(gold)
    made = {
        (act["tool_calls"][0]["function"]["name"], key, place): value
        for place, act in enumerate(acts) if act.get("tool_calls")
        for key, value in _given(act).items()
    }  # fmt: skip
    usual = {tool for tool, _, _ in made} - looking_tools(subject)
    for (tool, key, place), value in made.items():
        items = _listed(value)
        told = _told(subject, gold) if len(items) > 1 else ""
        if (
            tool in usual
            and told
            and not FOR_READERS.search(f"{tool} {key}")
            and all(says(told, str(one)) for one in items)
        ):
            changed = (_with(acts, place, key, _as(value, left)) for left in (items[1:], items[:-1], []))
            yield f"the items in {key!r} of {tool}", _Several(gold.row, *changed)


def _listed(value: Any) -> list[Any]:
    """The different items of a list, or of a text with commas between them; none of anything else."""
    items = value
    if isinstance(value, str) and "," in value:
        items = [one.strip() for one in value.split(",")]
        items = items if all(map(_ITEM.fullmatch, items)) else []
    if not isinstance(items, list) or not all(isinstance(one, str | int) for one in items):
        return []
    return items if len(set(map(json.dumps, items))) == len(items) else []


def _as(value: Any, items: Sequence[Any]) -> Any:
    if isinstance(value, str):
        return (", " if ", " in value else ",").join(map(str, items))
    return list(items)


def _with(acts: Sequence[Any], place: int, key: str, value: Any) -> Turns:
    changed = deepcopy(list(acts))
    changed[place]["tool_calls"][0]["function"]["arguments"][key] = value
    return changed
