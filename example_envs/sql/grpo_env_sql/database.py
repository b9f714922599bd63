"""A read-only database: no writing, no other files, and limits on everything."""

import math
import os
import sqlite3
import tempfile
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

MAX_STEPS = 500_000
"""How many steps of SQLite's virtual machine a query may take; the same on every computer."""
MAX_SECONDS = 2.0
"""The time limit, for queries whose single steps are slow."""
MAX_LENGTH = 2_000
"""The maximum length of a text, a blob, a row or a statement."""
_STEPS_AT_ONCE = 1_000

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MAX_LENGTH,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: MAX_LENGTH,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 50,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_FUNCTIONS = frozenset(
    [
        "abs",
        "avg",
        "cast",
        "coalesce",
        "count",
        "dense_rank",
        "first_value",
        "glob",
        "group_concat",
        "ifnull",
        "iif",
        "instr",
        "lag",
        "last_value",
        "lead",
        "length",
        "like",
        "lower",
        "ltrim",
        "max",
        "min",
        "nth_value",
        "ntile",
        "nullif",
        "rank",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "sign",
        "substr",
        "substring",
        "sum",
        "total",
        "trim",
        "typeof",
        "upper",
    ]
)
"""Functions that depend only on their arguments, and cannot create large values from small ones."""

Cell = str | int | float | bytes | None


class QueryError(Exception):
    """A query that cannot be run, with SQLite's message."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The result of a query: its columns, its rows in order, and whether there are more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    cut: bool


class Database:
    """A temporary SQLite file, opened read-only; closing it removes the file."""

    def __init__(self, file: bytes) -> None:
        handle, self.path = tempfile.mkstemp(prefix="sql-v1-", suffix=".sqlite")
        with os.fdopen(handle, "wb") as out:
            out.write(file)
        self._connection = sqlite3.connect(
            f"file:{quote(self.path)}?mode=ro&immutable=1",
            uri=True,
            check_same_thread=False,
            isolation_level=None,
        )
        self.close = weakref.finalize(self, _put_away, self._connection, self.path)
        """Removes the file, once, at the latest when the database is garbage-collected."""
        for limit, value in _LIMITS.items():
            self._connection.setlimit(limit, value)
        self._connection.set_authorizer(_allowed)

    def run(self, sql: str, most: int) -> Relation:
        """The result of one SELECT, with at most so many rows."""
        budget = _Budget()
        self._connection.set_progress_handler(budget.is_spent, _STEPS_AT_ONCE)
        try:
            cursor = self._connection.execute(sql)
            rows = cursor.fetchmany(most + 1)
        except (
            sqlite3.Error,
            sqlite3.Warning,
            ValueError,
        ) as exc:  # ValueError: a text that SQLite does not accept
            raise QueryError(budget.told if budget.spent else f"{exc}") from exc
        if cursor.description is None:
            raise QueryError("there is no statement")
        columns = tuple(column[0] for column in cursor.description)
        cursor.close()
        return Relation(columns, tuple(rows[:most]), len(rows) > most)


class _Budget:
    """Counts the steps of one query."""

    told = "the query takes too long; ask for less"

    def __init__(self) -> None:
        self.steps = 0
        self.ends = time.monotonic() + MAX_SECONDS
        self.spent = False

    def is_spent(self) -> bool:
        """Whether the query should be interrupted."""
        self.steps += _STEPS_AT_ONCE
        self.spent = self.steps >= MAX_STEPS or time.monotonic() > self.ends
        return self.spent


def _allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allows only reading, and the functions listed above."""
    known = action == sqlite3.SQLITE_FUNCTION and second is not None and second.lower() in _FUNCTIONS
    return sqlite3.SQLITE_OK if known or action in _READING else sqlite3.SQLITE_DENY


def _put_away(connection: sqlite3.Connection, path: str) -> None:
    connection.close()
    Path(path).unlink(missing_ok=True)


def shown(cell: Cell) -> str | int | float | None:
    """A cell as a JSON value."""
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'"
    return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
