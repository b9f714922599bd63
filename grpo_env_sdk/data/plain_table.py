"""Rows of plain data as a table that needs no `datasets`: importing it takes most of a second."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.data.mixed_columns import INT64, as_written, dataset_with_json, json_copy
from grpo_env_sdk.types import Row

if TYPE_CHECKING:
    from datasets import Dataset

Copy = Callable[[Any], Any]
_EXACT_AS_FLOAT = range(-(2**53), 2**53 + 1)
MOST_IN_MEMORY = 10_000
"""The rows of a dataset that are read from memory."""
MOST_TYPED = 100
"""The rows that show the types of a table: True equals 1, and nearly each column has one type."""
_MIXED = object()
"""The shape of a column that is kept as it was written."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What values are, equal where Arrow takes them for one type; what reads one of them, and what copies it then."""

    shape: object
    read: Copy
    copy: Copy | None = None
    """None where nothing in the value can be changed."""
    fields: Mapping[str, "_Kind"] = field(default_factory=dict)
    """Of dicts, the kind of each value."""


class PlainTable:
    """Rows as `Dataset.from_list` gives them, each time a copy; see `plain_table`."""

    def __init__(self, rows: list[Row], kind: _Kind, dataset: "Dataset | None" = None) -> None:
        self._rows, self._kind = rows, kind
        self._copy = kind.copy or dict
        if dataset is not None:
            self.dataset = dataset

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: int | str) -> Any:
        """One row, or the values of one column."""
        if isinstance(key, int):
            return self._copy(self._rows[key])
        values, copy = [row[key] for row in self._rows], self._kind.fields[key].copy
        return values if copy is None else list(map(copy, values))

    def __iter__(self) -> Iterator[Row]:
        return map(self._copy, self._rows)

    def same(self, other: "PlainTable", start: int = 0, stop: int | None = None) -> bool:
        """Whether the rows from `start` to `stop` equal all of another table, each value of the same type."""
        ours, theirs = self._rows[start:stop], other._rows
        return ours == theirs and list(map(repr, ours[:MOST_TYPED])) == list(map(repr, theirs[:MOST_TYPED]))

    def numbered(self) -> "PlainTable":
        """The same rows, each with its place as `case_idx`."""
        rows = [{**row, "case_idx": place} for place, row in enumerate(self._rows)]
        return PlainTable(rows, _kind_of_dicts({**self._kind.fields, "case_idx": _kind_of(range(len(rows)))}))

    def joined(self, other: "PlainTable") -> "PlainTable | None":
        """These rows and then those of another table; None if its columns are of other types."""
        rows = [*self._rows, *other._rows]
        if self._kind.shape == other._kind.shape:
            return PlainTable(rows, self._kind)
        return plain_table(rows) if self._mixed() or other._mixed() else None

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self._rows[0])

    @cached_property
    def dataset(self) -> "Dataset":
        """The same as a `datasets.Dataset`, for a trainer."""
        from datasets import Dataset

        mixed = self._mixed()
        if not mixed:
            return Dataset.from_list(self._rows)
        return dataset_with_json({name: [row[name] for row in self._rows] for name in self.column_names}, mixed)

    def _mixed(self) -> list[str]:
        return [name for name, kind in self._kind.fields.items() if kind.shape is _MIXED]


class _NotPlainError(Exception):
    """Only `datasets` can say what it makes of these values, an error included."""


def plain_table(rows: Sequence[Any], dataset: "Dataset | None" = None) -> PlainTable | None:
    """The rows as a table; None if there are none, or if a column holds more than JSON data of one type.

    Lists and dicts of JSON data may hold values of several types.
    """
    try:
        if not any(rows):
            return None
        if not all(type(row) is dict for row in rows):
            return None
        names = _names(rows)
        kind = _kind_of_dicts({name: _kind_of_column(name, [row.get(name) for row in rows]) for name in names})
        return PlainTable(list(map(kind.read, rows)), kind, dataset)
    except (_NotPlainError, UnicodeEncodeError):
        return None


def read_quickly(dataset: "Dataset | PlainTable") -> "Dataset | PlainTable":
    """The same rows, from memory where they are few and plain data: `datasets` takes 0.1 ms for each."""
    if isinstance(dataset, PlainTable) or len(dataset) > MOST_IN_MEMORY or dataset.format["type"] is not None:
        return dataset
    table = plain_table(dataset.to_list(), dataset) if all(map(_is_plain, dataset.features.values())) else None
    return dataset if table is None else table


def _is_plain(feature: Any) -> bool:
    """Whether a feature holds what Arrow holds, not an image, a sound or a class that `datasets` makes of it."""
    if isinstance(feature, dict):
        return all(map(_is_plain, feature.values()))
    if isinstance(feature, list):
        return all(map(_is_plain, feature))
    inner = getattr(feature, "feature", None)
    return type(feature).__name__ == "Value" if inner is None else _is_plain(inner)


def _names(dicts: Iterable[Any]) -> list[str]:
    """The keys of all, where they can be names of columns."""
    names = list(dict.fromkeys(name for one in dicts for name in one))
    if not all(type(name) is str for name in names):
        raise _NotPlainError
    "".join(names).encode()  # no half of a surrogate pair
    return names


def _kind_of_column(name: str, values: list[Any]) -> _Kind:
    """What the values of a column are; what is inside of lists and dicts may be of several types, except in prompts."""
    try:
        return _kind_of(values)
    except _NotPlainError:
        if name == "prompt" or as_written(values) is None:
            raise
        return _Kind(_MIXED, json_copy, json_copy)


def _kind_of(values: Iterable[Any]) -> _Kind:
    """What these values are, as Arrow sees them: with floats beside ints, and in every dict the keys of all."""
    found = [value for value in values if value is not None]
    types = {list if type(value) is tuple else type(value) for value in found}
    if types == {dict}:
        return _kind_of_dicts({name: _kind_of([value.get(name) for value in found]) for name in _names(found)})
    if types == {list}:
        return _kind_of_lists(_kind_of([item for value in found for item in value]))
    if types in ({float}, {int, float}):
        if not all(type(value) is float or value in _EXACT_AS_FLOAT for value in found):
            raise _NotPlainError
        return _Kind(float, _unless_none(float))
    if types == {str}:
        "".join(found).encode()  # no half of a surrogate pair
    elif types == {int}:
        if not all(value in INT64 for value in found):
            raise _NotPlainError
    elif types - {bool}:
        raise _NotPlainError
    return _Kind(next(iter(types), None), lambda value: value)


def _kind_of_dicts(fields: Mapping[str, _Kind]) -> _Kind:
    reads = {name: kind.read for name, kind in fields.items()}
    nested = [(name, kind.copy) for name, kind in fields.items() if kind.copy is not None]

    def copied(value: Any) -> Any:
        own = dict(value)
        for name, copy in nested:
            own[name] = copy(own[name])
        return own

    read = _unless_none(lambda value: {name: read(value.get(name)) for name, read in reads.items()})
    return _Kind(frozenset((name, kind.shape) for name, kind in fields.items()), read, _unless_none(copied), fields)


def _kind_of_lists(item: _Kind) -> _Kind:
    copy = item.copy
    copied: Copy = list if copy is None else lambda value: list(map(copy, value))
    return _Kind((item.shape,), _unless_none(lambda value: list(map(item.read, value))), _unless_none(copied))


def _unless_none(copy: Copy) -> Copy:
    return lambda value: None if value is None else copy(value)
