"""Errors shown again in a few lines of plain reasoning-gym or Gymnasium, without this SDK.

A file of `confirmed/` begins with a comment, `# Confirms CHECK: id, id. What it shows.`, and prints it; one that raises
confirms nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tests.field_report.place import Place

FOLDER = Path(__file__).with_name("confirmed")
_HEAD = re.compile(r"Confirms (?P<check>[A-Z]\d+): (?P<ids>[^.]+)\. (?P<about>.+)")


@dataclass(frozen=True)
class Confirmation:
    """A few lines that show an error, and what they printed."""

    check: str
    ids: tuple[str, ...]
    about: str
    code: str
    printed: str
    holds: bool


def confirm_all(place: Place) -> list[Confirmation]:
    """Every confirmation, run now."""
    return [_confirm(place, file) for file in sorted(FOLDER.glob("*.py"))]


def read(file: Path) -> tuple[str, tuple[str, ...], str, str]:
    """The check, the ids, a sentence, and the code of a file."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    comment = list(takewhile(lambda line: line.startswith("# "), lines))
    found = _HEAD.fullmatch(" ".join(line.removeprefix("# ").strip() for line in comment))
    if found is None:
        raise ValueError(f"{file.name} does not begin with '# Confirms CHECK: id, id. What it shows.'")
    return found["check"], tuple(found["ids"].split(", ")), found["about"], "".join(lines[len(comment) :])


def unconfirmed(errors: set[tuple[str, str]], confirmations: list[Confirmation]) -> Iterator[tuple[str, str]]:
    """The (check, id) of errors that nothing confirms."""
    confirmed = {(item.check, id) for item in confirmations if item.holds for id in item.ids}
    yield from sorted(errors - confirmed)


def _confirm(place: Place, file: Path) -> Confirmation:
    check, ids, about, code = read(file)
    ran = place.run("-W", "ignore", str(file.absolute()))
    return Confirmation(check, ids, about, code, ran.stdout.strip(), ran.returncode == 0)
