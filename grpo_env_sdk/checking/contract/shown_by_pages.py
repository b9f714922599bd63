"""Whether tools that show a list of the row page by page, or one by one, show all of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, play_all
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves, read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, results_of_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message, Row

MOST_ROWS = {"quick": 10, "default": 16, "thorough": 40}
FEWEST_ROWS, FEWEST_COUNTS, FEWEST_ITEMS, MOST_ITEMS, FEWEST_CHARS = 5, 3, 5, 80, 4
"""On how many rows items have to be hidden, in how many different numbers, of how many items lists are, and how long
a text has to be that identifies its item."""
MOSTLY, AT_ONCE, MOST_SEARCHES = 0.8, 10, 4
"""How many of the items need a text of their own, how many calls are in one message, and how many of the hidden items
are searched for by their texts."""


@dataclass(frozen=True, slots=True)
class Paged:
    """A list of a row, of which a tool shows the most."""

    row: int
    shown: Sequence[bool]
    """Which of its items a reply or the prompt shows."""
    first_hidden: str
    size: int
    """The most items in one reply."""
    counted: bool
    """Whether the prompt, or a reply that shows no item, says how many items there are."""
    between_pages: bool
    """Whether no reply shows items on both sides of a hidden one, and some show several items."""
    call: Message
    """A call of the tool, and its reply, behind all items that it shows."""
    reply: str

    @property
    def hidden(self) -> int:
        """How many items nothing shows."""
        return self.shown.count(False)

    @property
    def end(self) -> str:
        """The end of the list where all hidden items are; empty where they are not at one, or too many for a reply."""
        rising = sorted(self.shown)
        sides = {"first": rising, "last": rising[::-1]}
        fits = 0 < self.hidden <= self.size
        return next((side for side, order in sides.items() if fits and list(self.shown) == order), "")

    @property
    def step(self) -> int:
        """How far what is hidden between pages is apart, each time the same number of items; 0 where it is not so."""
        places = [place for place, shown in enumerate(self.shown) if not shown]
        starts = [place for place in places if place - 1 not in places]
        steps = {later - first for first, later in pairwise(starts)}
        regular = places == [start + n for start in starts for n in range(len(places) // max(1, len(starts)))]
        return steps.pop() if len(steps) == 1 and regular and self.between_pages else 0


@check("C165", needs=("rows",), kinds=("tools",))
def tools_show_all_pages_of_a_list(subject: Subject) -> Iterator[Finding]:
    """Where tools show a list of the row page by page, or one by one, some call shows each item."""
    found: dict[tuple[str, str], list[Paged]] = {}
    for row in subject.in_time(subject.sample(MOST_ROWS[subject.effort])):
        for place, one in _paged(subject, row).items():
            found.setdefault(place, []).append(one)
    yield from islice((_finding(*place, rows) for place, rows in found.items() if _is_cut_off(rows)), 1)


def _is_cut_off(rows: Sequence[Paged]) -> bool:
    """Whether the same end is hidden on enough rows: the rest of a division, or one item or page of a stated number.

    Or what is hidden is between pages, at the same distance on all rows where there are several such places.
    """
    cut = [one for one in rows if one.hidden]
    if _steps(rows):
        return True
    if len(cut) < FEWEST_ROWS or len({one.end for one in cut}) > 1 or not cut[0].end:
        return False
    grows = len({one.shown.count(True) for one in cut}) >= FEWEST_COUNTS
    return grows and (len({one.hidden for one in rows}) >= FEWEST_COUNTS or all(one.counted for one in cut))


def _steps(rows: Sequence[Paged]) -> list[Paged]:
    """The rows on which something is hidden between pages, where it is at the same distance on enough of them."""
    found = [one for one in rows if one.step]
    return found if len(found) >= FEWEST_ROWS and len({one.step for one in found}) == 1 else []


def _finding(column: str, name: str, rows: Sequence[Paged]) -> Finding:
    cut = [one for one in rows if one.hidden]
    one = next(iter(_steps(rows)), cut[0])
    which = f"{one.hidden} between its pages" if one.step else f"the {one.end} {one.hidden}"
    return Finding(
        f"No call of {name} shows {which} of the {len(one.shown)} items of {column!r} in row "
        f"{one.row}, such as {quoted(one.first_hidden)}, nor does another tool; it is so on {len(cut)} of {len(rows)} "
        "rows, and a model cannot know what is there.",
        "Begin each page where the one before ends, and round their number up; the tool takes the first and the last.",
        one.row, one.call, one.reply, one.first_hidden,
    )  # fmt: skip


def _paged(subject: Subject, row: int) -> dict[tuple[str, str], Paged]:
    """By column and tool, the lists of a row that tools show; nothing where a tool cannot be asked for all it has."""
    data, tools = subject.row(row), [tool for tool in subject.tools_of(row) if may_only_look(tool)]
    lists, pages = _lists(data), {name_of(tool): page for tool in tools if (page := _page_of(tool))}
    given = {name_of(tool): _given(subject, row, tool) for tool in tools if name_of(tool) in pages}
    others = [tool for tool in tools if name_of(tool) not in pages]
    if not lists or not pages or None in given.values() or any(len(required_of(tool)) > 1 for tool in others):
        return {}
    numbers = range(-1, max(map(len, lists.values())) + 2)
    calls = {name: [call_message(name, **{**(given[name] or {}), pages[name]: n}) for n in numbers] for name in pages}
    replies = {name: _replies(subject, row, calls[name]) for name in pages}
    if any(len(replies[name]) < len(calls[name]) for name in pages):
        return {}
    seen = [prompt_text(subject, row), *(text for texts in replies.values() for text in texts)]
    seen += results_of_gold(subject, row) if row in golds(subject) else []
    found = {}
    for column, items in lists.items():
        hidden = [item for item in items if not _is_in(seen, item)]
        if hidden and (_is_answer(data, column) or _are_elsewhere(subject, row, others, hidden)):
            continue
        said = [text for text in seen if not any(_is_in([text], item) for item in items)]
        for name, texts in replies.items():
            places = [[place for place, item in enumerate(items) if _is_in([text], item)] for text in texts]
            sizes = [len(one) for one in places]
            if 2 * sum(_is_in(texts, item) for item in items) > len(items):
                last = min(len(sizes) - next(n for n, size in enumerate(reversed(sizes)) if size), len(sizes) - 1)
                found[column, name] = Paged(
                    row, [item not in hidden for item in items], next(iter(hidden), ""), max(sizes),
                    any(has_word(text, str(len(data[column]))) for text in said),
                    max(sizes) > 1 and not any(_has_gap(one, items, hidden) for one in places), calls[name][last],
                    texts[last],
                )  # fmt: skip
    return found


def _has_gap(places: Sequence[int], items: Sequence[str], hidden: Sequence[str]) -> bool:
    """Whether a reply with the items of these places leaves out a hidden one between them."""
    return bool(places) and any(item in hidden for item in items[places[0] : places[-1]])


def _lists(row: Row) -> dict[str, list[str]]:
    """The columns with lists of texts or records, as one text for each item that no other item has."""
    found = {}
    for column, items in row.items():
        if column != "prompt" and isinstance(items, list) and FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
            texts = [sorted(_texts(item), key=len, reverse=True) for item in items]
            wholes = ["\n".join(one) for one in texts]
            own = [next((text for text in one if sum(text in other for other in wholes) == 1), "") for one in texts]
            known = [text for text in own if len(text) >= FEWEST_CHARS and any(map(str.isalpha, text))]
            if len(known) >= max(FEWEST_ITEMS, MOSTLY * len(items)):
                found[column] = known
    return found


def _page_of(tool: Mapping[str, Any]) -> str:
    """The one number that a tool takes; empty where it takes none, or several."""
    numbers = [name for name, schema in properties_of(tool).items() if schema.get("type") == "integer"]
    needed = [name for name in numbers if name in required_of(tool)] or numbers
    return needed[0] if len(needed) == 1 else ""


def _given(subject: Subject, row: int, tool: Mapping[str, Any]) -> dict[str, Any] | None:
    """What else a tool needs beside its number, from gold or from columns of these names; None where it is unknown."""
    of_gold = golds(subject)[row].first_given(name_of(tool)) if row in golds(subject) else None
    named = {name: subject.row(row).get(name) for name in required_of(tool) if name != _page_of(tool)}
    return of_gold or (named if None not in named.values() else None)


def _is_answer(row: Row, column: str) -> bool:
    """Whether another column has the first or the last item: then it may be what has to be guessed."""
    ends = (row[column][0], row[column][-1])
    return any(value in ends for name, value in row.items() if name != column)


def _are_elsewhere(subject: Subject, row: int, tools: Sequence[dict[str, Any]], hidden: Sequence[str]) -> bool:
    """Whether other tools show hidden items, asked for nothing or for what these say."""
    calls = []
    for tool in tools:
        needed = required_of(tool)
        asked = [word for text in hidden[:MOST_SEARCHES] for word in (text, *text.split()[-1:])] if needed else [""]
        calls += [call_message(name_of(tool), **({needed[0]: words} if needed else {})) for words in asked]
    return any(_is_in(_replies(subject, row, calls), item) for item in hidden)


def _replies(subject: Subject, row: int, calls: Sequence[Message]) -> list[str]:
    """What calls are answered, texts as they are and JSON without its quotes."""
    parts = [called_together(calls[start : start + AT_ONCE]) for start in range(0, len(calls), AT_ONCE)]
    played = play_all(subject, [(row, [part, ""]) for part in parts])
    return [_plain(str(call["content"])) for episode in played for call in episode.tool_calls]


def _plain(content: str) -> str:
    return "\n".join(_texts(read_json(content, content)))


def _texts(value: Any) -> list[str]:
    return [str(leaf) for _, leaf in leaves(value)]


def _is_in(texts: Sequence[str], item: str) -> bool:
    return any(item in text for text in texts)
