"""The databases of a row's seed: the visible one, and hidden ones with the same tables."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random

from grpo_env_sql.contents import Contents, draw_contents, file_of
from grpo_env_sql.schema import Difficulty, Schema, draw_schema

HIDDEN = 2
"""On how many hidden databases an answer is tried."""


@dataclass(frozen=True)
class World:
    """A schema, and the contents of its databases: first the visible one, then the hidden ones."""

    schema: Schema
    contents: tuple[Contents, ...]

    @cached_property
    def files(self) -> tuple[bytes, ...]:
        """Each database as an SQLite file."""
        return tuple(file_of(self.schema, contents) for contents in self.contents)


@lru_cache(maxsize=64)
def make_world(seed: int, difficulty: Difficulty) -> World:
    """The world of a seed, the same in every process."""
    rng = Random(f"world/{difficulty}/{seed}")
    schema = draw_schema(rng, difficulty)
    return World(schema, tuple(draw_contents(rng, schema) for _ in range(1 + HIDDEN)))
