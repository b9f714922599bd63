"""Plain text of reports and commands: counts, lists, and tables aligned with spaces."""

import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence

_UNSAFE = re.compile(r"[^\n\t\x20-\x7e\u200c\u200d]")  # the joiners of emoji and of some scripts are harmless
_UNSAFE_OR_COLOUR = re.compile(rf"\x1b\[[0-9;]*m|{_UNSAFE.pattern}")
_WORKFLOW_COMMAND = re.compile(r"(^\s*)(?=::)|(##)(?=\[|vso\[)", re.MULTILINE)
"""`::error::` at the beginning of a line, and `##[error]` or `##vso[...]` anywhere in it."""


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`; `info` has no plural."""
    return f"{number} {noun}{'s'[: number != 1 and not noun.endswith('info')]}"


def joined(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def command_line(*words: object) -> str:
    """`grpo-env view 'runs/my run'`: a command as it can be pasted into a shell."""
    return shlex.join(["grpo-env", *map(str, words)])


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """One line per row, with the columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def printable(text: str, colours: bool = False) -> str:
    """The text with everything visible that a terminal or a CI log would obey: escapes, controls, workflow commands.

    `colours` leaves those that we paint with.
    """
    if not text.isprintable():
        text = (_UNSAFE_OR_COLOUR if colours else _UNSAFE).sub(_visible, text)
    return _WORKFLOW_COMMAND.sub(lambda found: f"{found[0]}\\", text) if "::" in text or "##" in text else text


def _visible(found: "re.Match[str]") -> str:
    one = found[0]
    keep = len(one) > 1 or one.isprintable() or unicodedata.category(one) == "Zs"
    return one if keep else one.encode("unicode_escape", "replace").decode()
