"""The rows of the dataset: questions, each with the seed of its databases, split by query."""

import hashlib
from random import Random
from typing import Any, Literal

from grpo_env_sql.contents import rows_of
from grpo_env_sql.questions import TEMPLATES
from grpo_env_sql.scene import Question, Scene
from grpo_env_sql.schema import Difficulty
from grpo_env_sql.worlds import World, make_world

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 1000, "test": 250}
MOST_ROWS = 20
"""The largest number of rows of a right answer."""

RULES = (
    "You answer questions about an SQLite database, which you can look at with tools. Answer with one SELECT "
    "statement and nothing more: its result is the answer, with the columns in the order of the question. It "
    "is run on this database and on others with the same tables and other rows."
)


def make_rows(difficulty: Difficulty, split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; no query of one split is in the other."""
    rng = Random(f"rows/{seed}/{difficulty}/{split}")
    templates = TEMPLATES[difficulty]
    rows: list[dict[str, Any]] = []
    while len(rows) < SIZES[split]:
        template = templates[len(rows) % len(templates)]
        world_seed = rng.getrandbits(31)
        world = make_world(world_seed, difficulty)
        question = template(Scene(rng, world.schema, world.contents[0]))
        if _split_of(question) == split and _tells(question, world):
            rows.append(_row(difficulty, template.__name__, world_seed, question))
    rng.shuffle(rows)
    return rows


def _row(difficulty: Difficulty, template: str, world_seed: int, question: Question) -> dict[str, Any]:
    return {
        "prompt": [{"role": "system", "content": RULES}, {"role": "user", "content": question.text}],
        "difficulty": difficulty,
        "template": template,
        "world_seed": world_seed,
        "sql": question.sql,
        "ordered": question.ordered,
    }


def _split_of(question: Question) -> Split:
    """The split of a question, by its query: every fifth is held out."""
    return "test" if hashlib.blake2b(question.sql.encode(), digest_size=4).digest()[0] % 5 == 0 else "train"


def _tells(question: Question, world: World) -> bool:
    """Whether each database has another answer, so that the answer cannot be known in advance."""
    known: set[tuple[Any, ...]] = set()
    for contents in world.contents:
        answer = tuple(sorted(rows_of(question.sql, world.schema, contents)))
        if not 0 < len(answer) <= MOST_ROWS or answer in known:
            return False
        known.add(answer)
    return True
