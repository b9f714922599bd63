"""Plain text of reports and commands: counts, lists, and tables aligned with spaces."""

from collections.abc import Iterator, Sequence


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`; `info` has no plural."""
    return f"{number} {noun}{'s'[: number != 1 and not noun.endswith('info')]}"


def joined(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """One line per row, with the columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def printable(text: str) -> str:
    """The text without what a terminal would obey: escapes and other control characters become question marks."""
    return "".join(one if one.isprintable() or one in "\n\t" else "?" for one in text)
