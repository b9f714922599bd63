import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from contextlib import closing

import pytest

from grpo_env_sql import SqlEnv
from grpo_env_sql.database import Database
from grpo_env_sql.questions import TEMPLATES
from grpo_env_sql.rows import MOST_ROWS, make_rows
from grpo_env_sql.schema import DIFFICULTIES
from grpo_env_sql.worlds import make_world

DIGEST = """
import hashlib, json, random
from grpo_env_sql.rows import make_rows
random.seed(7)
print(hashlib.sha256(json.dumps(make_rows("hard", "test", 0)).encode()).hexdigest())
"""


def test_there_are_1000_rows_to_train_on_and_250_held_out(rows_of):
    assert len(rows_of("easy", "train")) == 1000
    assert SqlEnv().build_dataset(None, split="test") == rows_of("easy")
    assert len(rows_of("easy")) == 250


def test_no_query_or_database_of_one_split_is_in_the_other(rows_of):
    train, test = (rows_of("easy", split) for split in ("train", "test"))
    for column in ("sql", "world_seed"):
        assert not {row[column] for row in train} & {row[column] for row in test}


def test_rows_are_the_same_in_another_process_whatever_its_hash_seed(rows_of):
    told = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    random.seed(8)
    assert told.stdout.strip() == hashlib.sha256(json.dumps(rows_of("hard")).encode()).hexdigest()


def test_another_seed_asks_other_questions(rows_of):
    other = {row["world_seed"] for row in make_rows("easy", "test", seed=1)}
    assert not other & {row["world_seed"] for row in rows_of("easy")}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_template_is_equally_common(difficulty, rows_of):
    counts = Counter(row["template"] for row in rows_of(difficulty))
    assert set(counts) == {template.__name__ for template in TEMPLATES[difficulty]}
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_no_two_databases_of_a_row_have_the_same_answer(difficulty, rows_of):
    for row in rows_of(difficulty)[:60]:
        answers = set()
        for file in make_world(row["world_seed"], difficulty).files:
            with closing(Database(file)) as database:
                found = database.run(row["sql"], MOST_ROWS)
            assert found.rows
            answers.add(tuple(sorted(map(repr, found.rows))))
        assert len(answers) == 3


def test_a_question_names_no_table_as_it_is_called_and_tells_no_query(rows_of):
    for row in rows_of("hard"):
        said = row["prompt"][-1]["content"]
        tables = make_world(row["world_seed"], "hard").schema.tables
        assert not any(table.name in said for table in tables)
        assert "FROM" not in said


def test_an_unknown_difficulty_is_told_with_those_that_exist():
    with pytest.raises(ValueError, match="'impossible'; it can be easy, normal, hard"):
        SqlEnv("impossible")
