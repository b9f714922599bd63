"""Keys that only some rows have, or objects of a column: in a table all have the keys of all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.types import Row

_MOST_NAMED = 5
_OPTIONAL = {"best_possible"}
"""Columns that some rows may leave out."""


def filled_key(rows: Iterable[Row]) -> tuple[str, str] | None:
    """A column and a key in it, however deep, that is None in some rows and not in others; None if there is none."""
    seen: dict[tuple[str, str], set[bool]] = {}
    for row in rows:
        for column, value in row.items():
            for path, filled in _keys(value if column != "prompt" else None):
                seen.setdefault((column, path), set()).add(filled)
    return next((place for place, kinds in seen.items() if len(kinds) > 1), None)


def filled_columns(rows: Iterable[Row]) -> list[str]:
    """The columns that are None in some rows and not in others."""
    seen: dict[str, set[bool]] = {}
    for row in rows:
        for column, value in row.items():
            seen.setdefault(column, set()).add(value is None)
    return [column for column, kinds in seen.items() if len(kinds) > 1 and column not in _OPTIONAL]


def filled_keys_note(rows: Iterable[Row]) -> str:
    """One sentence on such columns, and one on such a key in a column, with the way out; empty if there are none."""
    known = list(rows)
    return " ".join(filter(None, (_columns_note(filled_columns(known)), _key_note(filled_key(known)))))


def _columns_note(columns: Sequence[str]) -> str:
    if not columns:
        return ""
    more = f" and {len(columns) - _MOST_NAMED} more" if len(columns) > _MOST_NAMED else ""
    named = ", ".join(map(repr, columns[:_MOST_NAMED]))
    return (
        f"Some rows have None in these columns: {named}{more}. A row without the key gets None too: give all rows the "
        "same keys, or skip what is None."
    )


def _key_note(found: tuple[str, str] | None) -> str:
    if found is None:
        return ""
    return (
        f"In some rows the key {found[1]!r} of column {found[0]!r} is None: a table gives every object of a column the "
        "same keys. Skip what is None, or store the column as JSON text."
    )


def _keys(value: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{path}{key}", item is None
            yield from _keys(item, f"{path}{key}.")
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item, path)
