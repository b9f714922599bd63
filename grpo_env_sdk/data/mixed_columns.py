"""Columns whose lists or dicts hold values of several types: Arrow refuses them, so a table keeps them as JSON."""

import json
import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.errors import DatasetError

if TYPE_CHECKING:
    from datasets import Dataset

INT64 = range(-(2**63), 2**63)


class _NoJsonError(Exception):
    """A value that does not come back from JSON as it is."""


def as_written(values: Collection[Any]) -> list[Any] | None:
    """Copies of the lists of a column, or of its dicts; None if it has anything else, or what JSON does not hold."""
    kinds = {list if type(value) is tuple else type(value) for value in values if value is not None}
    if kinds not in ({list}, {dict}):
        return None
    try:
        return list(map(json_copy, values))
    except (_NoJsonError, UnicodeEncodeError, RecursionError):
        return None


def json_copy(value: Any) -> Any:
    """A copy of a value of JSON; a tuple becomes a list."""
    kind = type(value)
    if kind is list or kind is tuple:
        return list(map(json_copy, value))
    if kind is dict and all(type(name) is str for name in value):
        return {json_copy(name): json_copy(item) for name, item in value.items()}
    if kind is str:
        value.encode()  # no half of a surrogate pair
        return value
    if value is None or kind is bool or (kind is int and value in INT64) or (kind is float and math.isfinite(value)):
        return value
    raise _NoJsonError


def dataset_with_json(columns: Mapping[str, list[Any]], mixed: Collection[str]) -> "Dataset":
    """A table in which some columns are JSON inside; they are read as what they were."""
    try:
        from datasets import Dataset, Features, Json, concatenate_datasets
    except ImportError as exc:
        raise DatasetError(
            f"The column {min(mixed)!r} has lists or dicts with values of several types, which datasets below 4.7 "
            "cannot hold.",
            "pip install 'datasets>=4.7', or give the column as JSON text.",
        ) from exc

    texts = {name: [None if value is None else json.dumps(value) for value in columns[name]] for name in mixed}
    parts = [
        Dataset.from_dict({name: values for name, values in columns.items() if name not in texts}),
        Dataset.from_dict(texts, features=Features({name: Json() for name in texts})),
    ]
    filled = [part for part in parts if part.column_names]
    return concatenate_datasets(filled, axis=1).select_columns(list(columns))
