"""What a report shows beside its text: a table, or a plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns that stand in the HTML report, and in the terminal with `-v`."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Named lines of (x, y) points, drawn in the HTML report; `bands` are (x, low, high) around a line's name."""

    title: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    x: str = ""
    y: str = ""
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)
    note: str = ""
    check: str = ""
