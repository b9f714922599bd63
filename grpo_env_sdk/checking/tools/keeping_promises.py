"""Whether replies keep what the description of their tool promises: an order, and how many things are listed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of
from grpo_env_sdk.checking.evidence.prompts.promised_orders import (
    IN_ANY,
    Columns,
    Order,
    columns_of,
    items_of,
    orders_in,
    with_others,
)
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, by_tool, calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, FEWEST_ITEMS, MOSTLY, KEPT = 4, 3, 0.5, 0.8
"""On how many rows, in lists of how many items and in which share of them a promise is broken; it is kept by a field
whose values stand in the order in so many lists."""
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10} | {
    "twelve": 12, "twenty": 20
}  # fmt: skip
_N = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_SHOWS = r"(?:list|show|return|find|get|give|fetch|see|name)s?"
_MANY = regex(
    rf"^{_SHOWS} (?:up to |at most |no more than |the |the (?:first|top|last) |(?:first|top) )?{_N} (?:[a-z]+ ){{0,2}}?"
    rf"[a-z]+s\b|\b{_SHOWS} (?:up to|at most|no more than|the first|the top) {_N.replace('count', 'number')} "
    r"(?:of (?:its|the) )?(?:rows|results|hits|items|matches|entries|records)\b",
    re.IGNORECASE,
)
_OF_ORDER = regex(r"sort|order|desc|asc|direction", re.IGNORECASE)
_OF_COUNT = regex(r"limit|count|max|top|size|page|number|^[kn]$", re.IGNORECASE)
"""Parameters with which the order, or how many there are, is chosen."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A reply that lists things."""

    call: TriedCall
    items: list[Any]


@check("T425", kinds=("tools", "multi-turn"), needs=("calls",), share=0.5)
def replies_keep_what_descriptions_promise(subject: Subject) -> Iterator[Finding]:
    """A tool lists things in the order that its description says, and not more of them."""
    said = {name_of(tool): tool for tool in subject.tools}
    promising = {name: one for name, one in said.items() if _orders(one) or _most(one)}
    if not promising:
        return
    for name, calls in by_tool(calls_made(subject)).items():
        if name not in promising:
            continue
        listed = {
            f"{one.episode.row_index} {canonical_json(one.call)} {one.content}": one for one in calls if not one.error
        }
        lists = [Listing(one, items_of(one.content)) for one in listed.values()]
        for order in _orders(promising[name]):
            yield from _out_of_order(name, order, [one for one in lists if len(one.items) >= FEWEST_ITEMS])
        for words, most in _most(promising[name]):
            yield from _too_many(name, words, most, lists)


def _orders(tool: dict[str, Any]) -> list[Order]:
    return [] if any(map(_OF_ORDER.search, properties_of(tool))) else orders_in(_description(tool))


def _most(tool: dict[str, Any]) -> list[tuple[str, int]]:
    """The words and the number of "at most four"."""
    if any(map(_OF_COUNT.search, properties_of(tool))):
        return []
    found = [match for one in re.split(r"(?<=[.;])\s", _description(tool)) if (match := _MANY.search(one))]
    counts = [(match[0], (match["count"] or match["number"]).casefold()) for match in found]
    return [(words, _COUNTS[count] if count in _COUNTS else int(count)) for words, count in counts]


def _description(tool: dict[str, Any]) -> str:
    return " ".join(description_of(tool).split())


def _out_of_order(name: str, order: Order, lists: Sequence[Listing]) -> Iterator[Finding]:
    """The finding that what a tool says it sorts by does not stand in this order, alone or with another number."""
    shown = [(one, columns) for one in lists if (columns := order.columns(one.items))]
    alone = [columns_of(one.items) for one, _ in shown]
    others = {field for field in _names(alone) if _is_kept(IN_ANY, field, alone)}
    of_fields = [with_others(columns, one.items, others) for one, columns in shown]
    if any(_is_kept(order, field, of_fields) for field in _names(of_fields)):
        return
    broken = [one for (one, columns) in shown if not any(map(order.kept, columns.values()))]
    if _on_most(broken, len(shown)):
        field = next(iter(order.columns(broken[0].items)))
        yield Finding(
            f"{name} says {order.words!r}, and its replies are in another order, {len(broken)} of {len(shown)} lists: "
            f"{field!r} is {', '.join(_shown(order.columns(broken[0].items)[field]))}.",
            f"Sort what {name} lists as it says, before it is cut off, or say in which order it comes.",
            broken[0].call.episode.row_index, broken[0].call.call, broken[0].call.content, order.words,
            severity="error" if order.direction else "warning",
        )  # fmt: skip


def _names(of_lists: Sequence[Columns]) -> set[str]:
    return {field for columns in of_lists for field in columns}


def _is_kept(order: Order, field: str, of_lists: Sequence[Columns]) -> bool:
    values = [columns[field] for columns in of_lists if field in columns]
    return sum(map(order.kept, values)) >= KEPT * len(values)


def _too_many(name: str, words: str, most: int, lists: Sequence[Listing]) -> Iterator[Finding]:
    """The finding that a tool lists more than it says; lines of text may have others among them."""
    listing = [one for one in lists if one.items and one.call.content.lstrip()[:1] in ("[", "{")]
    more = [one for one in listing if len(one.items) > most]
    if _on_most(more, len(listing)):
        one = more[0]
        yield Finding(
            f"{name} says {words!r}, and lists more in {len(more)} of {len(listing)} replies, such as {len(one.items)} "
            f"in row {one.call.episode.row_index}.",
            f"Cut off what {name} lists as it says, or say how many there can be.",
            one.call.episode.row_index, one.call.call, one.call.content, f"at most {most}", severity="warning",
        )  # fmt: skip


def _on_most(broken: Sequence[Listing], of: int) -> bool:
    return len({one.call.episode.row_index for one in broken}) >= FEWEST_ROWS and len(broken) > MOSTLY * of


def _shown(values: Sequence[Any]) -> Iterator[str]:
    return (f"{value:g}" if isinstance(value, float) else str(value) for value in values[:6])
