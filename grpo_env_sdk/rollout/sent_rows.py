"""The rows that a worker tells of its environment: which there are, and tables of those that it has sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grpo_env_sdk.data.plain_table import PlainTable
from grpo_env_sdk.data.rows import Rows, Split, build_rows
from grpo_env_sdk.types import Row

if TYPE_CHECKING:
    from datasets import Dataset

BOTH: tuple[Split, ...] = ("train", "test")
"""What a training needs; all rows are made of these."""


@dataclass(frozen=True, slots=True)
class SentRows:
    """The rows of a split, without what is in them."""

    columns: list[str]
    """Those of the table, in order."""
    indices: list[int]
    offset: int
    """The index of the first row of the table."""
    total: int
    """How many rows the table has."""


def sent_of(rows: Rows) -> SentRows:
    """What there is to tell of some rows."""
    return SentRows(list(rows.table.column_names), list(rows.indices), rows.offset, len(rows.table))


class SomeRows:
    """The rows of a table that are needed, by their place in it."""

    def __init__(self, rows: Mapping[int, Row], told: SentRows) -> None:
        self._rows, self._total, self.column_names = rows, told.total, told.columns

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, place: int) -> Row:
        return self._rows[place]


def whole_rows(
    told: Mapping[Split, SentRows], sent: Mapping[Split, Mapping[int, Row]], splits_itself: bool
) -> dict[Split, Rows]:
    """The rows to train on, the held-out ones, and all of them, as an environment of this process has them.

    Raises a `DatasetError` or a `KeyError` where the worker's rows are no rows of an environment.
    """
    if splits_itself:
        return {split: Rows(_table(one, sent[split]), one.indices, one.offset) for split, one in told.items()}
    train, test = (told[split] for split in BOTH)
    table = _table(train, {**sent["train"], **sent["test"]})
    return {
        "train": Rows(table, train.indices), "test": Rows(table, test.indices), "all": Rows(table, range(len(table))),
    }  # fmt: skip


def _table(told: SentRows, sent: Mapping[int, Row]) -> "Dataset | PlainTable":
    """A table of rows that were sent, checked as those of an environment are."""
    rows = [{name: sent[place][name] for name in told.columns} for place in range(told.total)]
    return build_rows(_Sender(rows)).table


class _Sender:
    """In the place of an environment: its rows are those that were sent."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def build_dataset(self, tokenizer: object) -> Sequence[Row]:
        """The rows."""
        return self._rows
