"""The tables of one database: a domain, with the names of its tables and columns in this database."""

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from grpo_env_sql.domains import DOMAINS, Column, Table

Difficulty = Literal["easy", "normal", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column, and its name in this database."""

    column: Column
    name: str

    @property
    def said(self) -> str:
        """Its name in questions."""
        return self.column.said

    @property
    def type(self) -> str:
        """Its type in SQLite."""
        return "INTEGER" if isinstance(self.column.values, range) else "TEXT"


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table: its name, its columns in order, and its parent table."""

    table: Table
    name: str
    columns: tuple[NamedColumn, ...]
    parent: "NamedTable | None"

    def column(self, role: str) -> NamedColumn:
        """The table's column with the role `label`, `group`, `first` or `second`."""
        wanted = getattr(self.table, role)
        return next(column for column in self.columns if column.column is wanted)

    @property
    def parent_key(self) -> str:
        """The column with the id of the parent row."""
        assert self.parent is not None
        return f"{self.parent.table.one}_id"

    @property
    def create(self) -> str:
        """The statement that creates the table."""
        columns = ["id INTEGER PRIMARY KEY", *(f"{column.name} {column.type}" for column in self.columns)]
        if self.parent:
            columns.append(f"{self.parent_key} INTEGER REFERENCES {self.parent.name}")
        return f"CREATE TABLE {self.name} ({', '.join(columns)})"


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one database: an easy one has only children, and only a hard one has events."""

    parent: NamedTable | None
    child: NamedTable
    event: NamedTable | None

    @property
    def tables(self) -> tuple[NamedTable, ...]:
        """All tables, each after the table that it refers to."""
        return tuple(table for table in (self.parent, self.child, self.event) if table)


def draw_schema(rng: Random, difficulty: Difficulty) -> Schema:
    """A random schema with its own names."""
    domain = rng.choice(DOMAINS)
    parent = _named(rng, domain.parent, None) if difficulty != "easy" else None
    child = _named(rng, domain.child, parent)
    return Schema(parent, child, _named(rng, domain.event, child) if difficulty == "hard" else None)


def _named(rng: Random, table: Table, parent: NamedTable | None) -> NamedTable:
    there = [column for column in (table.label, table.group, table.first, table.second) if column]
    rng.shuffle(there)
    taken: set[str] = set()
    columns = []
    for column in there:
        name = rng.choice([name for name in column.names if name not in taken])
        taken.add(name)
        columns.append(NamedColumn(column, name))
    name = rng.choice((table.one, table.many)).capitalize()
    return NamedTable(table, name, tuple(columns), parent)
