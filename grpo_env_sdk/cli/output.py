"""The output of commands: JSON and tables."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from grpo_env_sdk.report.plain_text import aligned

_stdout: list[TextIO] = []


@contextmanager
def only_json_on_stdout() -> Iterator[None]:
    """Send all other prints to stderr, so that stdout has only what `print_json` writes."""
    _stdout.append(sys.stdout)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = _stdout.pop()


def print_json(data: Any) -> None:
    """Print an object as one line of JSON on stdout."""
    print(json.dumps(data, ensure_ascii=False, default=repr), file=_stdout[-1] if _stdout else sys.stdout, flush=True)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal, else aligned with spaces."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*headers, box=None, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console().print(table)
        return
    for line in aligned([headers, *rows]):
        print(line)
