"""Columns that an evaluation or a comparison groups rows by."""

from collections.abc import Iterable, Mapping
from typing import Any

from grpo_env_sdk.errors import UsageError, did_you_mean


def check_column(flag: str, column: str | None, columns: Iterable[str]) -> None:
    """Raise where a flag names a column that no row has."""
    known = list(columns)
    if column is not None and column not in known:
        raise UsageError(
            f"{flag} {column}: no such column.", did_you_mean(column, known) or f"There are {', '.join(known)}."
        )


def cluster_in(row: Mapping[str, Any], column: str | None) -> str | None:
    """The value of a row that says which others it belongs with; None where it is independent of all others."""
    value = None if column is None else row.get(column)
    return None if value is None else str(value)
