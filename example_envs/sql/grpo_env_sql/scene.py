"""A question, and the scene from which it is drawn: the tables of a database and their contents."""

from dataclasses import dataclass
from random import Random

from grpo_env_sql.contents import Contents, values_of
from grpo_env_sql.schema import NamedColumn, NamedTable, Schema


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its query, and whether it asks for an order."""

    text: str
    sql: str
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The material from which a template draws a question."""

    rng: Random
    schema: Schema
    contents: Contents

    @property
    def child(self) -> NamedTable:
        """The table that every database has."""
        return self.schema.child

    @property
    def parent(self) -> NamedTable:
        """The table of parents."""
        assert self.schema.parent is not None
        return self.schema.parent

    @property
    def event(self) -> NamedTable:
        """The table of events of the children."""
        assert self.schema.event is not None
        return self.schema.event

    def number(self, table: NamedTable) -> NamedColumn:
        """A random column of numbers."""
        return table.column(self.rng.choice(("first", "second")))

    def threshold(self, table: NamedTable, column: NamedColumn) -> int:
        """A number from the column, so that "above it" and "at least it" give different results."""
        found = sorted(value for value in values_of(self.contents, table, column) if isinstance(value, int))
        return found[self.rng.randint(len(found) // 4, 3 * len(found) // 4)]

    def value(self, table: NamedTable, column: NamedColumn) -> str:
        """A text from the column."""
        return str(self.rng.choice(values_of(self.contents, table, column)))
