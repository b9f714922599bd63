"""The rows of a dataset as short texts and hashes, to be compared with those of another process."""

import hashlib
from typing import Any

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.types import canonical_json

MOST_CHARS = 400
MOST_ROWS = 2_000
"""Rows whose content is kept, so that a difference can be shown."""


def contents(rows: Rows) -> dict[str, Any]:
    """The hash of each row, and the beginning of what stands in the first ones."""
    columns = rows.dataset[:]
    texts = [canonical_json(dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    hashes = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() for text in texts]
    return {"hashes": hashes, "texts": [text[:MOST_CHARS] for text in texts[:MOST_ROWS]]}


def first_difference(one: dict[str, Any], other: dict[str, Any]) -> tuple[int, str, str] | None:
    """The first place where two lots of rows differ, and what stands there in each; None where all are equal."""
    if one["hashes"] == other["hashes"]:
        return None
    pairs = zip(one["hashes"], other["hashes"], strict=False)
    short = min(len(one["hashes"]), len(other["hashes"]))
    place = next((index for index, (a, b) in enumerate(pairs) if a != b), short)
    return place, _at(one, place), _at(other, place)


def _at(lot: dict[str, Any], place: int) -> str:
    if place >= len(lot["hashes"]):
        return f"no row {place}"
    return str(lot["texts"][place]) if place < len(lot["texts"]) else f"row {place}, of other content"
