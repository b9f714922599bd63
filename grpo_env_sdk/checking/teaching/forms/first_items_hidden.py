"""Whether the first things of a list are on some page, where a schema counts pages from 1 and gold passes them by."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.first_page import MOST_PAGES, numbers_from_one, replies_to
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, FEWEST_ITEMS, MOST_ITEMS, SHORTEST, MOST_LISTS = 3, 4, 200, 2, 20
"""On how many rows, in lists of how many things, how short a name may be, and in how many lists."""
_LAST = regex(r"\b(?:1|one) (?:to|through|up to|and|-) (\d{1,2})\b|\b1-(\d{1,2})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What the pages of a row show of a list: from which item on, and what comes before."""

    row: int
    given: dict[str, Any]
    names: Sequence[str]
    first: int
    reply: str


def first_items_hidden(subject: Subject) -> Iterator[Finding]:
    """The finding that page 1 shows what comes after as many things as a page has, and no page shows those."""
    looking = {name_of(tool): tool for tool in subject.tools if only_looks(tool)}
    for name, parameter in numbers_from_one(subject):
        if name not in looking:
            continue
        last = _last_number(looking[name])
        found: list[Hidden] = []
        for row, given in _calls(subject, name, parameter, required_of(looking[name])).items():
            hidden = _hidden(subject, row, name, parameter, given, last)
            if hidden is None:
                break
            found.append(hidden)
        if len(found) >= FEWEST_ROWS:
            one = found[0]
            yield Finding(
                f"The schema of {name} counts {parameter!r} from 1, and {name} from 0: 1 shows "
                f"{quoted(one.names[one.first])}, number {one.first + 1} of its list, and no number from 1 to "
                f"{last or MOST_PAGES} shows what comes before it, such as {quoted(one.names[0])}, on any of "
                f"{len(found)} rows.",
                "Subtract 1 in the tool, or say that the first one is number 0 and take that too.",
                one.row, {"name": name, "arguments": {**one.given, parameter: 1}}, one.reply, one.names[0],
            )  # fmt: skip
            return


def _last_number(tool: Mapping[str, Any]) -> int:
    """The last number that the schema of a tool names; 0 where it names none."""
    found = {int(one or two) for one, two in _LAST.findall(canonical_json(tool))}
    return found.pop() if len(found) == 1 else 0


def _calls(subject: Subject, name: str, parameter: str, needed: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Gold's arguments of this tool on a few rows; where it needs no others, also on rows where gold calls it not."""
    found: dict[int, dict[str, Any]] = {}
    for gold in some_golds(subject):
        given = gold.first_given(name)
        if given is not None or set(needed) <= {parameter}:
            found[gold.row] = given or {}
    return dict(list(found.items())[:FEWEST_ROWS])


def _hidden(
    subject: Subject, row: int, name: str, parameter: str, given: Mapping[str, Any], last: int
) -> Hidden | None:
    """What no page of a row shows, if page 1 begins after as many things as it has, and the others go on to the end."""
    lists = [names for names in _lists(subject, row) if len(names) >= FEWEST_ITEMS]
    if not lists or last > MOST_PAGES:
        return None
    pages = range(last or MOST_PAGES)
    replies = replies_to(subject, row, name, [{**given, parameter: page + 1} for page in pages])
    for names in lists:
        places = [[place for place, one in enumerate(names) if has_word(reply, one)] for reply in replies]
        shown = [place for page in places for place in page]
        first = min(shown, default=0)
        ended = not places[-1] if last else first > 1
        if first and ended and shown == list(range(first, len(names))) and len(places[0]) == first:
            told = [prompt_text(subject, row), *_replies_in(subject, row)]
            if not any(has_word(text, one) for text in told for one in names[:first]):
                return Hidden(row, dict(given), names, first, replies[0])
    return None


def _replies_in(subject: Subject, row: int) -> list[str]:
    """What all tools reply in a row, as far as they were called."""
    return [call.content for call in calls_made(subject) if call.episode.row_index == row]


def _lists(subject: Subject, row: int) -> Iterator[list[str]]:
    """The lists of a row, of the environment's class and of its module, as the names of their things."""
    kind = type(subject.loaded.env)
    module = sys.modules.get(kind.__module__)
    values = [*subject.row(row).values(), *vars(kind).values(), *(vars(module).values() if module else ())]
    lists = [value for value in values if isinstance(value, list | tuple) and FEWEST_ITEMS <= len(value) <= MOST_ITEMS]
    for items in lists[:MOST_LISTS]:
        if names := _names(items):
            yield names


def _names(items: Sequence[Any]) -> list[str]:
    """The first text of each thing that no other one has; nothing where they have none."""
    texts = [_texts(item) for item in items]
    for place in range(min(map(len, texts), default=0)):
        names = [one[place] for one in texts]
        if len(set(names)) == len(names) and all(len(name) >= SHORTEST for name in names):
            return names
    return []


def _texts(item: Any) -> list[str]:
    values = item.values() if isinstance(item, Mapping) else item if isinstance(item, list | tuple) else [item]
    return [value for value in values if isinstance(value, str)]
