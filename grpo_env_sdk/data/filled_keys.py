"""Keys of objects that only some rows have: in a table every object of a column has the keys of all."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grpo_env_sdk.types import Row


def filled_key(rows: Iterable[Row]) -> tuple[str, str] | None:
    """A column and a key in it, however deep, that is None in some rows and not in others; None if there is none."""
    seen: dict[tuple[str, str], set[bool]] = {}
    for row in rows:
        for column, value in row.items():
            for path, filled in _keys(value if column != "prompt" else None):
                seen.setdefault((column, path), set()).add(filled)
    return next((place for place, kinds in seen.items() if len(kinds) > 1), None)


def filled_keys_note(rows: Iterable[Row]) -> str:
    """One sentence on such a column, with the way out; empty if there is none."""
    found = filled_key(rows)
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
