"""What can be had without doing the task: every strategy is measured, bounded, and told in the README."""

import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from grpo_env_sql import SqlEnv
from grpo_env_sql.database import Database
from grpo_env_sql.rows import MOST_ROWS
from grpo_env_sql.schema import DIFFICULTIES
from grpo_env_sql.worlds import make_world

README = Path(__file__).parent.parent / "README.md"
ROWS = 50


def gold(row, rows):
    return row["sql"]


def do_nothing(row, rows):
    return ""


def refuse(row, rows):
    return "I cannot help with that."


def select_one(row, rows):
    return "SELECT 1"


def the_most_frequent_query(row, rows):
    return Counter(other["sql"] for other in rows).most_common(1)[0][0]


def write_out_what_is_shown(row, rows):
    """The answer that is right on the database that a model can see, as constants."""
    with closing(Database(make_world(row["world_seed"], row["difficulty"]).files[0])) as database:
        found = database.run(row["sql"], MOST_ROWS).rows
    return f"VALUES {', '.join('(' + ', '.join(map(literal, cells)) + ')' for cells in found)}"


def literal(cell):
    return f"'{cell}'" if isinstance(cell, str) else repr(cell)


def select_everything(row, rows):
    return f"SELECT * FROM {make_world(row['world_seed'], row['difficulty']).schema.child.name}"


def ask_at_random(row, rows):
    """A query of the form of an easy answer, to a column that the right table has."""
    rng, table = Random(row["sql"]), make_world(row["world_seed"], row["difficulty"]).schema.child
    function, column = rng.choice(("COUNT", "MAX", "MIN", "SUM")), rng.choice(table.columns)
    return f"SELECT {function}({column.name}) FROM {table.name}"


def leave_out_the_condition(row, rows):
    """The gold query without what it begins to ask for, most often a condition."""
    return re.split(r" (?:WHERE|GROUP BY|ORDER BY)", row["sql"], maxsplit=1)[0]


# What the README calls it, its most on easy, normal and hard.
BOUNDS = {
    gold: ("the gold solution", 1.0, 1.0, 1.0),
    do_nothing: ("doing nothing", 0.0, 0.0, 0.0),
    refuse: ("refusing always", 0.0, 0.0, 0.0),
    select_one: ("`SELECT 1` always", 0.0, 0.0, 0.0),
    the_most_frequent_query: ("the most frequent query always", 0.1, 0.1, 0.1),
    write_out_what_is_shown: ("writing out the answer that stands in the database", 0.0, 0.02, 0.05),
    select_everything: ("showing the whole table", 0.0, 0.0, 0.0),
    ask_at_random: ("a random function of a random column of the right table", 0.2, 0.05, 0.05),
    leave_out_the_condition: ("the gold query, cut before its condition", 0.55, 0.1, 0.1),
}


@pytest.mark.parametrize("strategy", BOUNDS, ids=lambda strategy: strategy.__name__)
def test_a_lazy_strategy_scores_low_and_what_the_readme_says(strategy, play, rows_of):
    (told, *bounds), means = BOUNDS[strategy], []
    for difficulty, most in zip(DIFFICULTIES, bounds, strict=True):
        env, rows = SqlEnv(difficulty), rows_of(difficulty)[:ROWS]
        answers = [[{"role": "assistant", "content": strategy(row, rows)}] for row in rows]
        scores = [play(env, row, iter(said))[0] for row, said in zip(rows, answers, strict=True)]
        means.append(sum(scores) / len(scores))
        assert means[-1] <= most
    shown = " | ".join(f"{mean:.2f}" for mean in means)
    assert f"| {told} | {shown} |" in README.read_text(encoding="utf-8")
