"""The rows of a dataset as short texts and hashes, to compare with those of another process."""

import hashlib
from typing import Any

from grpo_env_sdk.data.plain_table import PlainTable
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.types import canonical_json

MOST_CHARS = 400
MOST_ROWS = 2_000
"""The rows whose content is kept, to show a difference."""


def contents(rows: Rows) -> dict[str, Any]:
    """The hash of each row, and the start of the content of the first ones."""
    texts = [canonical_json(row) for row in rows.table]
    hashes = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() for text in texts]
    return {"hashes": hashes, "texts": [text[:MOST_CHARS] for text in texts[:MOST_ROWS]]}


def same_table(one: Rows, other: Rows, start: int = 0, stop: int | None = None) -> bool:
    """Whether a dataset, or its rows from `start` to `stop`, equals another as it is kept; False says nothing."""
    mine, theirs = one.table, other.table
    if isinstance(mine, PlainTable) or isinstance(theirs, PlainTable):
        return isinstance(mine, PlainTable) and isinstance(theirs, PlainTable) and mine.same(theirs, start, stop)
    if mine._indices is not None or theirs._indices is not None:
        return False
    part = mine.data.slice(start, (len(mine) if stop is None else stop) - start)
    return bool(part.schema == theirs.data.schema and part.equals(theirs.data))


def first_difference(one: dict[str, Any], other: dict[str, Any]) -> tuple[int, str, str] | None:
    """The first index at which two datasets differ, and the content there in each; None if they are equal."""
    if one["hashes"] == other["hashes"]:
        return None
    pairs = zip(one["hashes"], other["hashes"], strict=False)
    short = min(len(one["hashes"]), len(other["hashes"]))
    place = next((index for index, (a, b) in enumerate(pairs) if a != b), short)
    return place, _at(one, place), _at(other, place)


def _at(rows: dict[str, Any], place: int) -> str:
    if place >= len(rows["hashes"]):
        return f"no row {place}"
    return str(rows["texts"][place]) if place < len(rows["texts"]) else f"row {place}, with other content"
