"""The contents of a database: rows drawn from a seed, and the bytes of the SQLite file with them."""

import sqlite3
from contextlib import closing
from random import Random

from grpo_env_sql.schema import NamedColumn, NamedTable, Schema

Value = str | int
Contents = dict[str, list[tuple[Value, ...]]]
"""The rows of each table, in the order of its columns: the id first, the id of the parent row last."""
_PARENTS, _CHILDREN, _EVENTS = (6, 8), (14, 20), (25, 35)
"""The smallest and the largest number of rows."""


def draw_contents(rng: Random, schema: Schema) -> Contents:
    """Rows for every table; some parents have no children, and some children no events."""
    contents: Contents = {}
    owners: list[int] | None = None
    for table in schema.tables:
        sizes = _PARENTS if table is schema.parent else _EVENTS if table is schema.event else _CHILDREN
        count = rng.randint(*sizes)
        contents[table.name] = _draw(rng, table, count, owners)
        owners = rng.sample(range(1, count + 1), count - count // 5)
    return contents


def values_of(contents: Contents, table: NamedTable, column: NamedColumn) -> list[Value]:
    """The values of one column."""
    place = 1 + table.columns.index(column)
    return [row[place] for row in contents[table.name]]


def file_of(schema: Schema, contents: Contents) -> bytes:
    """The SQLite file with these contents."""
    with closing(_filled(schema, contents)) as connection:
        return connection.serialize()


def rows_of(sql: str, schema: Schema, contents: Contents) -> list[tuple[Value, ...]]:
    """The result of a trusted query, without a file."""
    with closing(_filled(schema, contents)) as connection:
        return connection.execute(sql).fetchall()


def _filled(schema: Schema, contents: Contents) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for table in schema.tables:
        rows = contents[table.name]
        connection.execute(table.create)
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        connection.execute(f"INSERT INTO {table.name} VALUES {values}")
    return connection


def _literal(value: Value) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _draw(rng: Random, table: NamedTable, count: int, owners: list[int] | None) -> list[tuple[Value, ...]]:
    """Rows with ids from 1, each label once."""
    drawn: list[list[Value]] = [list(range(1, count + 1))]
    for column in table.columns:
        values = column.column.values
        drawn.append(
            rng.sample(values, count) if column.column is table.table.label else rng.choices(values, k=count)
        )
    if owners is not None:
        drawn.append([*rng.choices(owners, k=count)])
    return list(zip(*drawn, strict=True))
