"""A measured table, as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """What one measurement prints."""

    title: str
    text: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [f"## {self.title}", "", self.text, "", _line(self.headers), _line(["---"] * len(self.headers))]
        return "\n".join([*lines, *map(_line, self.rows)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
