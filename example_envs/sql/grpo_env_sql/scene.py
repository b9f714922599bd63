"""A question, and the scene that it is drawn from: the tables of a database and what stands in them."""

from dataclasses import dataclass
from random import Random

from grpo_env_sql.contents import Contents, values_of
from grpo_env_sql.schema import NamedColumn, NamedTable, Schema


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the query that answers it, and whether it asks for an order."""

    text: str
    sql: str
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What a template draws its question from."""

    rng: Random
    schema: Schema
    contents: Contents

    @property
    def child(self) -> NamedTable:
        """The table that every database has."""
        return self.schema.child

    @property
    def parent(self) -> NamedTable:
        """The table that children belong to."""
        assert self.schema.parent is not None
        return self.schema.parent

    @property
    def event(self) -> NamedTable:
        """The table of what happened to children."""
        assert self.schema.event is not None
        return self.schema.event

    def number(self, table: NamedTable) -> NamedColumn:
        """One of the columns of numbers."""
        return table.column(self.rng.choice(("first", "second")))

    def threshold(self, table: NamedTable, column: NamedColumn) -> int:
        """A number that stands in the column, so that above it and from it on are not the same."""
        found = sorted(value for value in values_of(self.contents, table, column) if isinstance(value, int))
        return found[self.rng.randint(len(found) // 4, 3 * len(found) // 4)]

    def value(self, table: NamedTable, column: NamedColumn) -> str:
        """A text that stands in the column."""
        return str(self.rng.choice(values_of(self.contents, table, column)))
