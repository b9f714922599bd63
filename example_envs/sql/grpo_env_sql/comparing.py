"""Whether two results are the same answer, and how many rows they share."""

import math
from collections.abc import Sequence
from itertools import starmap

from grpo_env_sql.database import Cell, Relation

Row = Sequence[Cell]
_DIGITS = 6


def same(one: Relation, other: Relation, ordered: bool) -> bool:
    """Whether both have equal rows; the order counts if the question asks for it, column names never."""
    if one.cut or other.cut or len(one.rows) != len(other.rows):
        return False
    pairs = zip(
        *((relation.rows if ordered else sorted(relation.rows, key=_key)) for relation in (one, other)),
        strict=True,
    )
    return all(starmap(_equal_rows, pairs))


def overlap(one: Relation, other: Relation) -> float:
    """The share of rows that both have, from 0 to 1; the order does not count."""
    left = [_key(row) for row in other.rows]
    every = len(left) + len(one.rows)
    if not every:
        return 1.0
    shared = 0
    for row in map(_key, one.rows):
        if row in left:
            left.remove(row)
            shared += 1
    return shared / (every - shared)


def _equal_rows(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(starmap(_equal, zip(one, other, strict=True)))


def _equal(one: Cell, other: Cell) -> bool:
    """Compares numbers by value, with a tolerance for the order in which they were added."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return type(one) is type(other) and one == other


def _key(row: Row) -> tuple[tuple[str, str | float | bytes], ...]:
    """The sort key of rows with mixed types."""
    return tuple(
        ("number", round(cell, _DIGITS))
        if isinstance(cell, int | float)
        else (type(cell).__name__, cell or "")
        for cell in row
    )
