"""Whether a tool that lists what a row holds lists all of it, or says that it does not."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNTS
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, leaves, read_json
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, calls_made
from grpo_env_sdk.checking.evidence.tool_use.cut_counts import CutCount, cut_count
from grpo_env_sdk.checking.evidence.tool_use.listing_calls import looks_at
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_CUT, FEWEST_WHOLE, FEWEST_LENGTHS, FEWEST_ITEMS, MOST_ITEMS, MOST_LOOKED_UP = 3, 1, 2, 3, 500, 24
"""How many rows have more than is listed, in lists of how many lengths, and on how many rows all is listed; how many
items lists have; and on how many rows the names of prompts are looked up where there is no gold."""
_IN_PART = (
    r"limit\w*|pages?|first|at most|up to|max\w*|latest|newest|oldest|closest|nearest|recent\w*|offset|cursor|"
    r"truncated|shortened|summary|excerpt|preview|sample|draws?|deals?|not all|part of"
)
_ASKS_OF_PART = regex(rf"\b(?:{_IN_PART})\b|\.\.\.|\u2026", re.IGNORECASE)
_TOLD = regex(rf"\b(?:{_IN_PART}|last|top|best|next|more|start|few|some|total|count)\b|\.\.\.|\u2026", re.IGNORECASE)
"""What prompts say where a list is not whole, and tools and replies, which say less of other things."""
_ASKS_OF_ALL = regex(
    r"\b(?:all|every|each|totals?|together|altogether|sum|how many|count|number of|average|mean|most|least|fewest|"
    r"complete\w*|(?:cheap|low|high|larg|small|long|short|heavi|light|earli|fast)e?st)\b",
    re.IGNORECASE,
)
"""What prompts say where one item that is not listed changes what is asked."""
_MAY_BE_REFINED = regex(
    r"\b(?:search\w*|quer(?:y|ies)|keywords?|text|prefix\w*|substring|contains?|begin\w*|relevan\w*|similar)\b",
    re.IGNORECASE,
)
"""What tools say where a longer text finds what a shorter one leaves out."""
FOR_ARGUMENTS = "for the arguments"
_OWN_NUMBER = regex(r"^\W*(?:\d+[.)]\s)?")


@dataclass(frozen=True, slots=True)
class _Reply:
    """The items that a reply lists, and what else it says."""

    items: Sequence[Any]
    rest: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """A reply with items of a column's list, from the first or up to the last one, and all that the list has."""

    row: int
    call: TriedCall
    reply: _Reply
    end: str
    """Which part of the list the reply has: the first or the last items, or those for what was asked."""
    items: Sequence[Any]

    @property
    def shown(self) -> int:
        """How many items the reply lists."""
        return len(self.reply.items)

    @property
    def is_cut(self) -> bool:
        """Whether the list has more items."""
        return bool(self.hidden)

    @property
    def hidden(self) -> Sequence[Any]:
        """The items that are not listed, from the one that is next to those that are."""
        if self.end == FOR_ARGUMENTS:
            return [item for item in self.items if not any(_is_item(one, item) for one in self.reply.items)]
        return self.items[self.shown :] if self.end == "first" else self.items[: len(self.items) - self.shown][::-1]


@check("G696", severity="warning", kinds=("tools",), needs=("calls",))
def tools_list_all_that_a_row_holds(subject: Subject) -> Iterator[Finding]:
    """A tool that lists what a row holds lists all of it on rows with many items too, or says that there is more."""
    found: dict[tuple[str, str, str], list[_Listed]] = {}
    calls = calls_made(subject) if golds(subject) else [*calls_made(subject), *_looks(subject)]
    for call in calls:
        for column, one in _listed(subject, call) if call.by_gold and call.error is None else ():
            found.setdefault((call.name, column, one.end), []).append(one)
    for (name, column, end), listed in found.items():
        cut = [one for one in listed if one.is_cut]
        shown = any(_is_shown(subject, one, calls) for one in cut)
        if _is_cut_off(listed, cut) and not shown and not _is_told(subject, cut):
            yield _finding(name, column, end, listed, cut)
            return
    if counted := cut_count(subject):
        yield _count_finding(counted)


def _looks(subject: Subject) -> Iterator[TriedCall]:
    """What is asked with the names of prompts, in place of the calls of gold where there is none."""
    for row in subject.in_time(subject.sample(MOST_LOOKED_UP)):
        for episode in looks_at(subject, row):
            yield from (TriedCall(episode, True, place) for place in range(len(episode.tool_calls)))


def _count_finding(count: CutCount) -> Finding:
    return Finding(
        f"{count.what} in the reply of {count.name} is gold, but never more than {count.most}, and nothing says so: in "
        f"row {count.row} it is {count.most} and gold is {count.gold}; it is so on {count.cut} of {count.rows} rows, "
        "and a model cannot know how many there are.",
        "Count before anything is cut, or say in the reply and in the tool's description that there is more.",
        count.row, count.call, count.most, str(count.gold),
    )  # fmt: skip


def _finding(name: str, column: str, end: str, listed: Sequence[_Listed], cut: Sequence[_Listed]) -> Finding:
    one = cut[0]
    rows, of = len({one.row for one in cut}), len({one.row for one in listed})
    what = f"the {end} {one.shown} of what column {column!r} holds"
    if end == FOR_ARGUMENTS:
        what = f"{one.shown} of what column {column!r} holds for {quoted(canonical_json(one.call.call['arguments']))}"
    return Finding(
        f"{name} lists {what} and no more, and nothing says so: in row {one.row} there are {len(one.items)}, and "
        f"{quoted(canonical_json(one.hidden[0]))} is not listed; it is so on {rows} of {of} rows.",
        "List all of it, or say in the reply and in the tool's description that there is more, and how to get it.",
        one.row, one.call.call, one.call.content, canonical_json(one.hidden[0]),
    )  # fmt: skip


def _is_cut_off(listed: Sequence[_Listed], cut: Sequence[_Listed]) -> bool:
    """Whether lists of several lengths are cut to the same number of items, and only those that have more."""
    most = {one.shown for one in cut}
    if len(most) != 1 or min(most) < FEWEST_ITEMS or any(one.shown > min(most) for one in listed):
        return False
    whole = {one.row for one in listed if not one.is_cut}
    lengths = {len(one.items) for one in cut}
    return len({one.row for one in cut}) >= FEWEST_CUT and len(lengths) >= FEWEST_LENGTHS and len(whole) >= FEWEST_WHOLE


def _is_told(subject: Subject, cut: Sequence[_Listed]) -> bool:
    """Whether tools, prompts or replies say that a list is not whole, or each time how long it or its part is."""
    prompts = [prompt_text(subject, one.row) for one in cut]
    others = [f"{canonical_json(subject.tools_of(one.row))} {one.reply.rest}" for one in cut]
    for_arguments = cut[0].end == FOR_ARGUMENTS
    if (for_arguments or not golds(subject)) and not all(map(_ASKS_OF_ALL.search, prompts)):
        return True
    if for_arguments and any(_MAY_BE_REFINED.search(other.replace("_", " ")) for other in others):
        return True
    if any(map(_ASKS_OF_PART.search, prompts)) or any(map(_TOLD.search, others)):
        return True
    words = [word for word, count in COUNTS.items() if count == cut[0].shown]
    counts = [[str(one.shown), str(len(one.items)), *words] for one in cut]
    texts = zip(prompts, others, counts, strict=True)
    return all(any(has_word(f"{prompt} {other}", count) for count in own) for prompt, other, own in texts)


def _is_shown(subject: Subject, one: _Listed, calls: Sequence[TriedCall]) -> bool:
    """Whether the prompt, or another reply in this row, shows the first item that is not listed."""
    others = {call.content for call in calls if call.episode.row_index == one.row} - {one.call.content}
    in_prompt = all(has_word(prompt_text(subject, one.row), text) for text in _texts(one.hidden[0]))
    return in_prompt or any(_is_item(item, one.hidden[0]) for reply in others for item in _reply(reply).items)


def _listed(subject: Subject, call: TriedCall) -> Iterator[tuple[str, _Listed]]:
    """The lists of columns that begin or end with the items of a reply, with the names of the columns."""
    row, reply = call.episode.row_index, _reply(call.content)
    for column, value in subject.row(row).items() if reply.items else ():
        fits = [(FOR_ARGUMENTS, items) for items in _for_arguments(subject, call, reply, value)] or [
            (end, items) for items in _lists(value) for end in ("first", "last") if _are_items(reply, items, end)
        ]
        if column != "prompt" and len({len(items) for _, items in fits}) == 1:
            yield from ((column, _Listed(row, call, reply, end, items)) for end, items in fits)


def _for_arguments(subject: Subject, call: TriedCall, reply: _Reply, value: Any) -> Iterator[Sequence[Any]]:
    """The items of a list that hold all values of a call, if its reply has such items alone."""
    given = call.outcome["arguments"]
    whole = isinstance(given, dict) and given.keys() == properties_of(call.tool(subject)).keys()
    wanted = {str(one) for one in given.values()} if whole else set()
    for items in _lists(value) if wanted else ():
        held = [item for item in items if wanted <= set(_texts(item))]
        if len(held) < len(items) and all(any(_is_item(one, item) for item in held) for one in reply.items):
            yield held


def _lists(value: Any) -> Iterator[Sequence[Any]]:
    """The lists in the value of a column, at any depth, which may be a text in JSON."""
    pending = [read_json(value) if isinstance(value, str) else value]
    while pending:
        part = pending.pop()
        if isinstance(part, list | tuple) and len(part) <= MOST_ITEMS:
            yield part
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
        pending += [one for one in inner if isinstance(one, Mapping | list | tuple)]


def _reply(text: str) -> _Reply:
    """The items of a reply: of a list in JSON, its lines, or what is between commas."""
    data = read_json(text, NO_JSON)
    if isinstance(data, list):
        return _Reply(data, "")
    if isinstance(data, dict):
        lists = [one for one in data.values() if isinstance(one, list)]
        rest = {name: None if one in lists else one for name, one in data.items()}
        return _Reply(lists[0] if len(lists) == 1 else [], canonical_json(rest))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    heads = [line for line in lines if line.endswith(":")]
    if len(lines) == 1:
        head, _, listed = lines[0].rpartition(": ")
        return _Reply([part.strip() for part in re.split(r"[,;]", listed.rstrip("."))], head)
    return _Reply([_OWN_NUMBER.sub("", line) for line in lines if line not in heads], " ".join(heads))


def _are_items(reply: _Reply, items: Sequence[Any], end: str) -> bool:
    """Whether a reply lists items of this list, from the first one, or up to the last one."""
    count = len(reply.items)
    part = items[:count] if end == "first" else items[len(items) - count :]
    return count <= len(items) and all(_is_item(one, item) for one, item in zip(reply.items, part, strict=True))


def _is_item(shown: Any, item: Any) -> bool:
    """Whether what is shown is an item: half of what that holds or more, and nothing else where it is in JSON."""
    texts = _texts(item)
    if isinstance(shown, str):
        return bool(texts) and 2 * sum(has_word(shown, text) for text in texts) >= len(texts)
    own = _texts(shown)
    return bool(own) and set(own) <= set(texts) and 2 * len(own) >= len(texts)


def _texts(value: Any) -> list[str]:
    return [str(one) for _, one in leaves(value) if one not in (None, "")]
