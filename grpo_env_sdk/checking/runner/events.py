"""The events of a process that runs environment code, read as data that this code may have forged."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.findings.finding import Finding, Item, Plot, Table, Undecided, from_wire
from grpo_env_sdk.rollout.event_types import fits, is_finite

Send = Callable[[dict[str, Any]], None]

MOST_BYTES = 64 << 20
"""The most that one process may send; a report has some hundred kilobytes."""
_LONGEST_LINE = 1 << 24
_MOST_SECONDS = 1e9
_DEEPEST = 200
_FORMS: dict[str, dict[str, Any]] = {
    "refused": {"type": str, "message": str, "hint": str},
    "imported": {"waive": Any, "call_seconds": float | None},
    "started": {"check": str, "seconds": float},
    "measuring": {},
    "measured": {"seconds": float},
    "at": {"stage": str, "row": int | None},
    "found": {"check": str, "item": dict[str, Any]},
    "ended": {"check": str, "seconds": float},
    "facts": {},
    "forked": {}, "crowded": {}, "done": {},
}  # fmt: skip
"""What each event has."""
_FACTS: dict[str, Any] = {
    "kind": str, "rows": int, "gold": str | None, "tools": int, "source_hash": str | None, "dataset_fingerprint": str,
    "gold_scored": bool, "unscored_column": str | None,
}  # fmt: skip
_NO_FACTS = {"event": "facts"}


class EventLines:
    """Takes the events out of what a process writes: lines with a mark, each of a form that the checks give them."""

    def __init__(self, mark: str, checks: Collection[str]) -> None:
        self._mark, self._checks = mark.encode(), checks
        self._rest, self._read = b"", 0
        self.strays = 0
        """Lines that are no events: the environment wrote to a descriptor that it did not open."""

    def read(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The events of the lines that are complete now."""
        self._read += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in filter(None, lines):
            event = self._event(line)
            if event is None:
                self.strays += 1
            else:
                yield event
        if len(self._rest) > _LONGEST_LINE or self._read > MOST_BYTES:  # only the environment writes so much
            self._rest, self.strays = b"", self.strays + 1

    def _event(self, line: bytes) -> dict[str, Any] | None:
        if not line.startswith(self._mark) or self._read > MOST_BYTES:
            return None
        try:
            event: Any = json.loads(line[len(self._mark) :])
        except (ValueError, RecursionError):
            return None
        return event if _is_shallow(event) and isinstance(event, dict) and _is_event(event, self._checks) else None


def _is_event(event: Mapping[str, Any], checks: Collection[str]) -> bool:
    form = _FORMS.get(event["event"]) if isinstance(event.get("event"), str) else None
    if form is None or not _has(event, form):
        return False
    if not all(event[key] is None or can_take(event[key]) for key in ("seconds", "call_seconds") if key in form):
        return False
    match event["event"]:
        case "facts":
            return event == _NO_FACTS or _has(event, _FACTS)
        case "found":
            return _is_item(event["item"])
        case "started" | "ended":
            return event["check"] in checks
    return True


def _has(event: Mapping[str, Any], form: Mapping[str, Any]) -> bool:
    return all(key in event and fits(event[key], kind) for key, kind in form.items())


def _is_item(data: Mapping[str, Any]) -> bool:
    """Whether `from_wire` makes a finding, a gap or an exhibit of it, of checks that exist."""
    try:
        item = from_wire(data)
    except (KeyError, TypeError):
        return False
    named = item.checks if isinstance(item, Undecided) else (item.check,)
    severe = item.severity is not None if isinstance(item, Finding) else True
    return fits(item, type(item)) and severe and all(id in all_checks() for id in named) and is_drawable(item)


def is_drawable(item: Item) -> bool:
    """Whether a report can show it: the rows of a table are as long as its head, and a plot's numbers are numbers."""
    if isinstance(item, Table):
        return all(len(row) == len(item.columns) for row in item.rows)
    if isinstance(item, Plot):
        points = [point for line in (*item.lines.values(), *item.bands.values()) for point in line]
        return all(is_finite(number) for point in points for number in point)
    return True


def can_take(seconds: Any) -> bool:
    """Whether something can take so long; sums of such times are no larger than a float can be."""
    return isinstance(seconds, int | float) and 0 <= seconds <= _MOST_SECONDS


def _is_shallow(value: Any, left: int = _DEEPEST) -> bool:
    """Whether nothing in it is so deep that writing it as JSON may fail."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_is_shallow(item, left - 1) for item in inner)


def without_repeats(send: Send) -> Send:
    """The same, which leaves out that it is still at the same row: many episodes in turn are of one."""
    last: dict[str, Any] = {}

    def send_new(event: dict[str, Any]) -> None:
        nonlocal last
        if event != last or event.get("row") is None:
            last = event
            send(event)

    return send_new
