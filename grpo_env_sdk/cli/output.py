"""What commands print: JSON on the real stdout alone, tables drawn or aligned."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

_real: list[TextIO] = []


@contextmanager
def json_alone() -> Iterator[None]:
    """Whatever anybody prints goes to stderr meanwhile; `print_json` still reaches stdout."""
    _real.append(sys.stdout)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = _real.pop()


def print_json(data: Any) -> None:
    """One JSON object on a line of stdout."""
    print(json.dumps(data, ensure_ascii=False, default=repr), file=_real[-1] if _real else sys.stdout, flush=True)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns: drawn by rich on a terminal, aligned with spaces elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*headers, box=None, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console().print(table)
        return
    widths = [max(len(row[i]) for row in (headers, *rows)) for i in range(len(headers))]
    for row in (headers, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
