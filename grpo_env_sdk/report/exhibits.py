"""Tables and plots of a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the HTML report, and in the terminal with `-v`."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Named lines of (x, y) points in the HTML report; `bands` has (x, low, high) points for a line's name."""

    title: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    x: str = ""
    y: str = ""
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)
    note: str = ""
    check: str = ""
