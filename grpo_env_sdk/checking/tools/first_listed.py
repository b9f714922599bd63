"""Whether what gold chooses stands at one place of every list that a tool gives, where nothing else puts it there."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of, tool_named
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import gold_with_calls
from grpo_env_sdk.checking.evidence.tool_use.listing_calls import listing_calls
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST_ITEMS, FEWEST_ROWS, FEWEST_VALUES = 3, 8, 5
"""Of how many items a list has to be, and how many rows and different choices have to show the place."""
SORTED = 0.9
"""A list is sorted by what it shows where so many of the rows' lists are."""
_PLACE = regex(r"\b(?:first|next|last|top|rank\w*|sort\w*|order(?:ed)? by|in order)\b", re.IGNORECASE)
"""What a prompt says where the place in a list means something."""
_ORDER = regex(rf"{_PLACE.pattern}|\b(?:best|newest|latest|oldest|relevan\w*|nearest|match\w*)\b", re.IGNORECASE)
"""What a tool says where the order of its list means something."""
_QUERIES = regex(r"query|search|text|question|keyword|term|pattern|phrase|words?\b", re.IGNORECASE)
"""Parameters for words of one's own: what fits these best comes first."""
_WORD = regex(r"\w+(?:[.:/-]\w+)*")
_PLACES = {0: "the first", -1: "the last", 1: "the second", 2: "the third", -2: "the last but one"}
_MEANT = regex(
    r"\b(?:second|third|middle|median|latest|newest|oldest|earliest|nearest|recent\w*|current\w*|now|previous\w*|final\w*|"
    r"(?<!at )(?:most|least)|until|since|before|after|history|track\w*|routes?|paths?|stations?|stops?|steps?|"
    r"moves?|visit\w*|passed|went|journey|travel\w*|timeline|chronolog\w*|events?|log|queue|line|turns?|start\w*|ends?)\b",
    re.IGNORECASE,
)
"""What prompts and tools say where a list may be in the order of time or of a way."""
TRIED = 8
"""How many words of a prompt are given to a tool that lists."""
NO_QUERIES = ("zzqx", "", "e", "the")
"""Words that nothing has, or nearly everything: what is listed first for these is not what fits best."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One item of a list that a tool gave, which gold used in a later call."""

    row: int
    tool: str
    used_in: str
    """The tool and the parameter that it was given to; empty where it is the answer."""
    value: str
    place: int
    items: Sequence[Any]
    query: str | None = None
    """The words that fit nothing, or everything, for which it was listed."""


@check("T423", needs=("calls", "acts"), share=0.5)
def the_right_item_has_no_place_of_its_own(subject: Subject) -> Iterator[Finding]:
    """The item that gold chooses is not always the first, or the last, of a list that is sorted by nothing."""
    groups: dict[tuple[str, str, str | None], list[Pick]] = {}
    of_gold = (pick for episode in gold_with_calls(subject) for pick in _picks(subject, episode))
    for pick in chain(of_gold, _unread(subject)):
        groups.setdefault((pick.tool, pick.used_in, pick.query), []).append(pick)
    for (tool, used_in, query), picks in groups.items():
        rows = {pick.row for pick in picks}
        if len(rows) < FEWEST_ROWS or len({pick.value for pick in picks}) < FEWEST_VALUES:
            continue
        for place, named in _PLACES.items():
            if not all(_is_at(pick, place) for pick in picks) or _is_sorted(picks):
                continue
            if (place not in (0, -1) or not used_in) and not _are_alike(picks):
                continue
            what = f"What gold gives to {used_in}" if used_in else "What gold answers"
            asked = "" if query is None else f" when it is asked for {query!r}"
            yield Finding(
                f"{what} is always {named} that {tool} lists{asked}, on {len(rows)} rows, and the lists "
                "are sorted by nothing that they show: who takes it needs to read nothing.",
                "Shuffle the whole list, the right item with the others.",
                picks[0].row, picks[0].value, expected="any place",
            )  # fmt: skip
            return


def _picks(subject: Subject, episode: Episode) -> Iterator[Pick]:
    """The values that gold took from a list: in one item alone, and in nothing that was known before."""
    row = episode.row_index
    known = prompt_text(subject, row)
    if _PLACE.search(known):
        return
    for place, call in enumerate(episode.tool_calls):
        items = None if call["error"] or _has_order(subject, call) else _items(str(call["content"]))
        known += f"\n{json.dumps(call['arguments'], ensure_ascii=False, default=str)}"
        if items is None:
            continue
        texts = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]
        for later in episode.tool_calls[place + 1 :]:
            for name, value in _values(later):
                if has_word(known, value):
                    continue
                having = [number for number, text in enumerate(texts) if has_word(text, value)]
                if len(having) == 1:
                    yield Pick(row, str(call["name"]), f"{later['name']}.{name}", value, having[0], items)
        known += f"\n{call['content']}"


def _is_at(pick: Pick, place: int) -> bool:
    return -len(pick.items) <= place < len(pick.items) and pick.items[place] is pick.items[pick.place]


def _are_alike(picks: Sequence[Pick]) -> bool:
    """Whether what is chosen could stand at the other places: it does on other rows, or is written like the others."""
    if all(isinstance(item, dict) for pick in picks for item in pick.items):
        return True
    others = {str(item) for pick in picks for place, item in enumerate(pick.items) if place != pick.place}
    return 2 * sum(str(one.items[one.place]) in others or _is_like_others(one) for one in picks) >= len(picks)


def _is_like_others(pick: Pick) -> bool:
    """Whether an item differs from the others of its list in digits alone."""
    forms = {re.sub(r"\d+", "0", str(item)) for item in pick.items}
    return len(forms) == 1 and "0" in forms.pop()


def _unread(subject: Subject) -> Iterator[Pick]:
    """What gold answers or gives to an act, in lists of things that another tool looks at, or that are described there.

    And in the lists of searches for words that choose nothing.
    """
    prompts = {gold.row: prompt_text(subject, gold.row) for gold in some_golds(subject)}
    known = [
        gold for gold in some_golds(subject) if not any(each.search(prompts[gold.row]) for each in (_PLACE, _MEANT))
    ]
    if len(known) < FEWEST_ROWS:
        return
    usual = set.intersection(*(set(_WORD.findall(prompt)) for prompt in prompts.values()))
    asked: list[tuple[int, Completion]] = []
    chosen = _chosen(subject, known)
    for gold in known:
        own = [word for word in dict.fromkeys(_WORD.findall(prompts[gold.row])) if word not in usual][:TRIED]
        if chosen[gold.row]:
            asked.append((gold.row, [*listing_calls(subject, gold.row, own), ""]))
        asked += [(gold.row, [search, ""]) for search in _searches(subject, gold.row)]
    for episode in play_answers(subject, asked):
        for call in episode.tool_calls:
            for used_in, value in chosen[episode.row_index].items():
                yield from _pick_of(subject, episode.row_index, call, used_in, value)


def _searches(subject: Subject, row: int) -> Iterator[Message]:
    """Calls of the searches of a row with words that choose nothing."""
    for tool in subject.tools_of(row):
        needed = required_of(tool)
        if may_only_look(tool) and len(needed) == 1 and _QUERIES.search(needed[0]):
            yield from (call_message(name_of(tool), **{needed[0]: words}) for words in NO_QUERIES)


def _query(call: Mapping[str, Any]) -> str | None:
    """The words of a search, where they choose nothing."""
    words = [value for name, value in _given(call).items() if _QUERIES.search(name)]
    return words[0] if len(words) == 1 and words[0] in NO_QUERIES else None


def _chosen(subject: Subject, known: Sequence[Gold]) -> dict[int, dict[str, str]]:
    """By row, what gold answers, under an empty name, and what it gives last to the parameters of its acts."""
    answers = [gold for gold in known if gold.text and not gold.turns[-1].get("tool_calls")]
    frame = form_of([gold.text for gold in answers])
    looks = {name_of(tool) for tool in subject.tools if may_only_look(tool)}
    found: dict[int, dict[str, str]] = {gold.row: {} for gold in known}
    for gold in known:
        for name, given in gold.calls:
            call = {"name": name, "arguments": given}
            found[gold.row] |= {f"{name}.{key}": value for key, value in _values(call) if name not in looks}
    for gold in answers:
        found[gold.row][""] = without_form(gold.text, frame).strip(" .'\"")
    return found


def _pick_of(subject: Subject, row: int, call: Mapping[str, Any], used_in: str, value: str) -> Iterator[Pick]:
    """The one item of a list that names what gold chose, where its prompt does not name it."""
    said = json.dumps(tool_named(subject.tools, call["name"]), default=str)
    query = _query(call)
    ordered = (query is None and _has_order(subject, call)) or _MEANT.search(said)
    items = None if call["error"] or ordered else _items(str(call["content"]))
    if items is None or len(value) < 2 or has_word(prompt_text(subject, row), value):
        return
    looks = any(name_of(tool) != call["name"] and required_of(tool) for tool in subject.tools if may_only_look(tool))
    texts = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]
    having = [number for number, text in enumerate(texts) if has_word(text, value)]
    if len(having) == 1 and (looks or all(isinstance(item, dict) for item in items)):
        yield Pick(row, str(call["name"]), used_in, value, having[0], items, query)


def _values(call: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments of a call that could name an item."""
    for name, value in _given(call).items():
        if isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) > 1:
            yield str(name), str(value)


def _given(call: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = call["arguments"]
    return {str(name): value for name, value in arguments.items()} if isinstance(arguments, Mapping) else {}


def _has_order(subject: Subject, call: Mapping[str, Any]) -> bool:
    """Whether the order of a reply means something: the tool says so, or looks for words of one's own."""
    said = json.dumps(tool_named(subject.tools, call["name"]), default=str)
    return any(map(_QUERIES.search, _given(call))) or bool(_ORDER.search(said))


def _items(content: str) -> list[Any] | None:
    """The items of a reply that is a list, in JSON or line by line; None where it is none, or short."""
    found = read_json(content, [line for line in content.splitlines() if line.strip()])
    if isinstance(found, dict):
        found = next((part for part in found.values() if isinstance(part, list)), None)
    return found if isinstance(found, list) and len(found) >= FEWEST_ITEMS else None


def _is_sorted(picks: Sequence[Pick]) -> bool:
    """Whether most of the lists rise or fall in something that each of their items shows."""
    columns = [_columns(pick.items) for pick in picks]
    shared = set.intersection(*(set(one) for one in columns))
    return any(sum(_rises_or_falls(one[name]) for one in columns) >= SORTED * len(columns) for name in shared)


def _columns(items: Sequence[Any]) -> dict[str, list[Any]]:
    """What all items of a list show: the fields of objects, or the words of lines by their place."""
    if all(isinstance(item, dict) for item in items):
        return {str(name): [item.get(name) for item in items] for name in items[0]}
    words = [re.findall(r"-?\d+(?:[.:]\d+)*|[^\W\d_]+", str(item)) for item in items]
    return {"all": list(map(str, items))} | {
        str(place): [line[place] for line in words] for place in range(min(map(len, words), default=0))
    }


def _rises_or_falls(values: Sequence[Any]) -> bool:
    try:
        keys = [float(value) for value in values]
    except (TypeError, ValueError):
        keys = [str(value).casefold() for value in values]  # type: ignore[misc]
    steps = [(one < two) - (one > two) for one, two in pairwise(keys)]
    return any(steps) and (min(steps) >= 0 or max(steps) <= 0)
