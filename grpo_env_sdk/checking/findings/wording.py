"""Counts and lists as messages show them."""

from collections.abc import Sequence


def counted(count: int, name: str) -> str:
    """`1 answer`, `3 answers`."""
    return f"{count} {name}{'s' if count != 1 and not name.endswith('info') else ''}"


def joined(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
