"""docs/benchmarks.md: every measurement has a section of its own, and leaves the others as they stand."""

import os
import platform
import re
from pathlib import Path

from tests.benchmarks.table import Table

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "benchmarks.md"
LAST = "## Where the time goes"


def write_section(table: Table) -> None:
    """Put a table where its section stands, or before the page's last one."""
    section = f"{table}\n\n"
    parts = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    titles = [part.partition("\n")[0] for part in parts]
    title = f"## {table.title}"
    if title in titles:
        parts[titles.index(title)] = section
    else:
        parts.insert(titles.index(LAST), section)
    PAGE.write_text("".join(parts), encoding="utf-8")


def write_machine() -> None:
    """Say in the head of the page on what everything was measured."""
    told = f"Last measured on {os.cpu_count()} cores, Python {platform.python_version()}."
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"Last measured on .*\.$", told, text, count=1, flags=re.MULTILINE), encoding="utf-8")
