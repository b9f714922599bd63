"""Columns that an evaluation or a comparison groups rows by."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.images.run_images import image_reference
from grpo_env_sdk.runs.record_line import as_recorded
from grpo_env_sdk.types import canonical_json


def check_column(flag: str, column: str | None, columns: Iterable[str]) -> None:
    """Raise where a flag names a column that no row has."""
    known = list(columns)
    if column is None or column in known:
        return
    there = f"There are {', '.join(known)}."
    if not isinstance(column, str) or not column.isprintable() or not column.strip():
        raise UsageError(f"{flag} must be the name of a column, got {column!r:.80}.", there)
    raise UsageError(f"{flag} {column}: no such column.", did_you_mean(column, known) or there)


def cluster_in(row: Mapping[str, Any], column: str | None) -> str | None:
    """The value of a row that says which others it belongs with; None where it is independent of all others.

    It is equal for a row in memory and for what a record has of it.
    """
    value = row.get(column) if isinstance(column, str) else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    try:
        return canonical_json(as_recorded(value, image_reference))
    except (TypeError, ValueError, RecursionError):  # it could not be recorded
        return str(value)
