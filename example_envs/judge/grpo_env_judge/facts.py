"""The facts of a notice, and which of them a text contains."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

EVENTS = (
    "book club", "chess evening", "choir practice", "cooking class", "film night",
    "garden meeting", "language table", "pottery class", "repair cafe", "yoga class",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TIMES = tuple(f"{hour}:{minute:02}" for hour in range(9, 22) for minute in (0, 15, 30, 45))
ROOMS = tuple(f"room {number}" for number in range(1, 31))
PRICES = tuple(f"{number} euros" for number in range(3, 31))


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one event, each as it is written in a notice."""

    event: str
    day: str
    time: str
    place: str
    price: str

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Facts":
        """The facts of a dataset row."""
        return cls(**{kind: row[kind] for kind in KINDS})

    def as_dict(self) -> dict[str, str]:
        """The facts by kind."""
        return asdict(self)

    def share_told(self, text: str) -> float:
        """The share of the facts in a text; a fact counts if the text has no other value of its kind."""
        told = [_said(kind, text) == {value.casefold()} for kind, value in asdict(self).items()]
        return sum(told) / len(told)


KINDS = tuple(field.name for field in fields(Facts))


def spans(text: str) -> list[tuple[int, int]]:
    """The places of everything in a text that may be a fact, in order."""
    return sorted(found.span() for pattern in _PATTERNS.values() for found in pattern.finditer(text))


def _said(kind: str, text: str) -> set[str]:
    """Everything of a kind that a text says."""
    return {" ".join(found.casefold().split()) for found in _PATTERNS[kind].findall(text)}


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


_PATTERNS = {
    "event": re.compile(rf"\b(?:{_any_of(EVENTS)})\b", re.IGNORECASE),
    "day": re.compile(rf"\b(?:{_any_of(DAYS)})\b", re.IGNORECASE),
    "time": re.compile(r"\b[0-9]{1,2}:[0-9]{2}\b"),
    "place": re.compile(r"\broom [0-9]+\b", re.IGNORECASE),
    "price": re.compile(r"\b[0-9]+ euros\b", re.IGNORECASE),
}
