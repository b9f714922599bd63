"""Whether a booking that runs into what is taken is refused, and not only one that begins at the same time."""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.prompts.moments import CLOCKS, DATES, MOMENTS, NUMBERS, SCALES, Range, Scale
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    as_good_on_most,
    compared_turns,
    paid,
    played_turns,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

MOST_RANGES, TASTED = 3, 4
"""How many ranges of a row are tried, and on how many rows first."""
_TAKEN = regex(
    r"\b(?:overlap\w*|conflict\w*|clash\w*|collid\w*|collision|busy|taken|booked|occupied|reserved|blocked|free|available|"
    r"unavailable|double[- ]book\w*|in use|belegt|frei|occup\w+|libre\w*|reserva\w*)\b",
    re.IGNORECASE,
)
_FIRST = regex(r"start|from|begin|first|^seat|^row|hour|^day|slot|check_?in|arriv", re.IGNORECASE)
_LAST = regex(r"end|^to$|to_|until|till|last|check_?out|depart", re.IGNORECASE)
_LENGTH = regex(r"min|dur|length|hours|nights|days|seats|count|how_?(?:many|long)", re.IGNORECASE)
_LENGTHS = {
    "time": regex(r"\b(\d{1,3})[ -]?(min|hour)", re.IGNORECASE),
    "date": regex(r"\b(\d{1,2})[ -]?(night|day)", re.IGNORECASE),
}
_HINT = "Refuse a booking that begins before the end of what is taken and ends after its beginning."


@dataclass(frozen=True)
class Booking:
    """When gold books, on some scale: by a call, or in its last text; how long it is, and what is taken on the row."""

    gold: Gold
    scale: Scale
    at: tuple[int, int] | None
    """The turn and the call."""
    names: tuple[str, ...]
    """The parameters with a beginning or an end."""
    start: int
    length: int
    ranges: tuple[Range, ...] = ()

    def moved(self, start: int) -> Turns:
        """Gold with the booking at another start, and as long."""
        turns, by = deepcopy(self.gold.turns), start - self.start
        if self.at is None:
            turns[-1]["content"] = self.scale.moved(str(turns[-1]["content"]), by)
            return turns
        given = turns[self.at[0]]["tool_calls"][self.at[1]]["function"]["arguments"]
        for name in self.names:
            given[name] = given[name] + by if type(given[name]) is int else self.scale.moved(given[name], by)
        return turns

    def inside(self, taken: Range) -> int | None:
        """A start within a range, which is not the start of another one."""
        return self._other_start(taken[0], taken[1] - taken[0], 1)

    def into(self, taken: Range) -> int | None:
        """A start before a range, from which the booking runs into it."""
        start = self._other_start(taken[0], self.length, -1)
        return None if start is None or start < 0 or any(a <= start < b for a, b in self.ranges) else start

    def _other_start(self, start: int, length: int, way: int) -> int | None:
        for step in self.scale.steps:
            part = max(step, length // 2 // step * step)
            new = start + way * part
            if 0 < part < length and (self.start - new) % step == 0 and all(new != one for one, _ in self.ranges):
                return new
        return None

    @cached_property
    def tried(self) -> list[Range]:
        """The ranges that are taken: not gold's, and not those that others overlap, which may be of other things."""
        alone = [
            one for one in dict.fromkeys(self.ranges)
            if not any(other != one and other[0] < one[1] and one[0] < other[1] for other in self.ranges)
        ]  # fmt: skip
        return [(start, end) for start, end in alone if not start <= self.start < end][:MOST_RANGES]


@check("G645", kinds=("single-turn", "tools", "multi-turn"), needs=("gold",))
def bookings_do_not_overlap_what_is_taken(subject: Subject) -> Iterator[Finding]:
    """A booking that begins within what is taken, or runs into it, scores less than gold, as one at its start does."""
    for scale in SCALES:
        known = [one for gold in some_golds(subject) for one in _bookings(subject, gold, scale) if one.tried]
        if len(known) < FEWEST_ROWS or not _refused(subject, known[:TASTED]):
            continue
        refused = _refused(subject, known)
        for found in (_accepted(subject, refused, inside=True), _accepted(subject, refused, inside=False)):
            if found:
                yield found
                return


def _refused(subject: Subject, known: Sequence[Booking]) -> list[tuple[Booking, Range]]:
    """Bookings, each with the first range whose own start is refused."""
    left, found = list(known), []
    for place in range(MOST_RANGES):
        tried = {one.gold.row: one.moved(one.tried[place][0]) for one in left if place < len(one.tried)}
        played = compared_turns(subject, tried)
        lost = {one.row_index for one in played} - {one.row_index for one in won_of(subject, played)}
        found += [(one, one.tried[place]) for one in left if one.gold.row in lost]
        left = [one for one in left if one.gold.row not in lost]
    return found


def _accepted(subject: Subject, refused: Sequence[tuple[Booking, Range]], inside: bool) -> Finding | None:
    """The finding that a booking which overlaps these ranges scores as much as gold."""
    starts = [(one, taken, one.inside(taken) if inside else one.into(taken)) for one, taken in refused]
    tried = {one.gold.row: one.moved(start) for one, _, start in starts if start is not None}
    if len(tried) < FEWEST_ROWS or not won_of(subject, played_turns(subject, dict(list(tried.items())[:TASTED]))):
        return None
    won = won_of(subject, played_turns(subject, tried))
    if not as_good_on_most(subject, won, len(tried)):
        return None
    booking, taken, start = next(one for one in starts if one[0].gold.row == won[0].row_index)
    shown = [booking.scale.write(value, booking.scale.like) for value in (*taken, start or 0)]
    how = "that begins within what is taken" if inside else "that runs into what is taken"
    found = paid(
        subject, won, len(tried),
        f"A booking {how}, from {shown[2]} where {shown[0]} to {shown[1]} is, and {shown[0]} is refused,", _HINT,
    )  # fmt: skip
    return found if inside or len(booking.names) > 1 else replace(found, severity="warning")


def _bookings(subject: Subject, gold: Gold, scale: Scale) -> Iterator[Booking]:
    """The last call of gold with a beginning on this scale, or its last text; with what the row shows as taken."""
    told = [prompt_text(subject, gold.row), *replies_to_gold(subject, gold.row)]
    if not _TAKEN.search(" ".join([*told, canonical_json(subject.tools_of(gold.row))])):
        return
    found = [one for number in range(len(gold.turns)) if (one := _of_turn(subject, gold, scale, number))]
    found = found or ([one] if (one := _of_text(subject, gold, scale)) else [])
    ranges = tuple(dict.fromkeys(one for text in told for one in scale.ranges(text)))
    for one in found[-1:]:
        others = tuple((a, b) for a, b in ranges if not a <= one.start < b)  # such as opening hours
        yield replace(one, ranges=others)


def _of_turn(subject: Subject, gold: Gold, scale: Scale, number: int) -> Booking | None:
    """The booking of a turn's last call that has one."""
    found = None
    for place, call in enumerate(gold.turns[number].get("tool_calls") or ()):
        given = call["function"]["arguments"]
        names = _names(given, scale) if isinstance(given, dict) else ()
        values = sorted(value for name in names for value in _values(given[name], scale))
        if 0 < len(values) <= 2:
            length = values[-1] - values[0] or _told_length(subject, gold, scale, given)
            found = Booking(gold, scale, (number, place), names, values[0], length)
    return found


def _names(given: Mapping[str, Any], scale: Scale) -> tuple[str, ...]:
    """The parameters that hold a beginning or an end."""
    if scale is not NUMBERS:
        return tuple(name for name, value in given.items() if isinstance(value, str) and scale.found(value))
    numbers = [name for name, value in given.items() if type(value) is int and not _LENGTH.search(name)]
    first = [name for name in numbers if _FIRST.search(name)]
    return (*first, *(name for name in numbers if _LAST.search(name) and name not in first)) if len(first) == 1 else ()


def _values(value: Any, scale: Scale) -> list[int]:
    return [value] if type(value) is int else scale.found(value)


def _of_text(subject: Subject, gold: Gold, scale: Scale) -> Booking | None:
    values = sorted(scale.found(gold.text)) if scale is not NUMBERS and gold.text else []
    if not 0 < len(values) <= 2 or gold.turns[-1].get("tool_calls"):
        return None
    length = values[-1] - values[0] or _told_length(subject, gold, scale, {})
    return Booking(gold, scale, None, ("start", "end")[: len(values)], values[0], length)


def _told_length(subject: Subject, gold: Gold, scale: Scale, given: Mapping[str, Any]) -> int:
    """How long the booking is, by a number of the call or the one of the prompt; 0 where nothing says it."""
    numbers = [(name, value) for name, value in given.items() if type(value) is int and _LENGTH.search(name)]
    if len(numbers) == 1:
        name, value = numbers[0]
        return value * scale.unit(name)
    pattern = _LENGTHS.get("date" if scale is DATES else "time") if scale in (CLOCKS, MOMENTS, DATES) else None
    told = set(pattern.findall(prompt_text(subject, gold.row))) if pattern else set()
    lengths = {int(count) * scale.unit(unit.casefold()) for count, unit in told}
    return lengths.pop() if len(lengths) == 1 else 0
