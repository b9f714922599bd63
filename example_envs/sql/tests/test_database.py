import gc
import sqlite3
from pathlib import Path

import pytest

from grpo_env_sql.database import MAX_STEPS, Database, QueryError, shown
from grpo_env_sql.worlds import make_world

WORLD = make_world(1, "hard")
EVENT = WORLD.schema.event.name
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "

FORBIDDEN = {
    "ATTACH ':memory:' AS other": "not authorized",
    "PRAGMA user_version": "not authorized",
    "PRAGMA writable_schema = ON": "not authorized",
    f"SELECT * FROM pragma_table_info('{EVENT}')": "not authorized",
    f"DELETE FROM {EVENT}": "not authorized",
    f"UPDATE {EVENT} SET id = 0": "not authorized",
    f"INSERT INTO {EVENT} (id) VALUES (999)": "not authorized",
    f"DROP TABLE {EVENT}": "not authorized",
    "CREATE TABLE mine (x)": "not authorized",
    "CREATE TEMP TABLE mine (x)": "not authorized",
    "BEGIN": "not authorized",
    "VACUUM INTO 'mine.sqlite'": "authoriz",
    "SELECT load_extension('x')": "not authorized to use function: load_extension",
    "SELECT readfile('/etc/passwd')": "no such function: readfile",
    "SELECT random()": "not authorized to use function: random",
    "SELECT date('now')": "not authorized to use function: date",
    "SELECT current_timestamp": "not authorized to use function: current_timestamp",
    "SELECT 1; SELECT 2": "one statement at a time",
    "": "there is no statement",
    "-- nothing": "there is no statement",
    "\0": "null character",
    "\ud800": "surrogates not allowed",
    "SELECT ?": "bindings",
    "SELECT CAST(x'ff' AS TEXT)": "decode",
    "the answer is 7": 'near "the": syntax error',
}

EXPENSIVE = {
    f"{ENDLESS} SELECT count(*) FROM n": "too long",
    f"{ENDLESS} SELECT x FROM n WHERE x < 0": "too long",
    f"SELECT count(*) FROM {', '.join(f'{EVENT} t{i}' for i in range(9))}": "too long",
    f"{ENDLESS}, m AS (SELECT x, hex(x) FROM n) SELECT * FROM m": "not authorized to use function: hex",
    f"{ENDLESS} SELECT x || replace('{'a' * 60}', 'a', '{'b' * 30}') y FROM n ORDER BY y": "too long",
    "SELECT randomblob(1000000000)": "not authorized to use function: randomblob",
    "SELECT zeroblob(1000000000)": "not authorized to use function: zeroblob",
    "SELECT printf('%1000000000s', 1)": "not authorized to use function: printf",
    f"SELECT replace(replace('{'a' * 99}', 'a', '{'b' * 99}'), 'b', '{'c' * 99}')": "too big",
    f"SELECT group_concat(a.id) FROM {EVENT} a, {EVENT} b": "too big",
    f"SELECT 1{' + 1' * 99}": "too large",
    f"SELECT '{'x' * 3000}'": "too large",
}


@pytest.fixture
def database():
    made = Database(WORLD.files[0])
    yield made
    made.close()


@pytest.mark.parametrize(
    ("sql", "told"), [*FORBIDDEN.items(), *EXPENSIVE.items()], ids=lambda text: text[:40]
)
def test_what_is_no_plain_query_of_bounded_size_is_refused_in_words(database, sql, told):
    before = Path(database.path).read_bytes()
    with pytest.raises(QueryError, match=told):
        database.run(sql, 20)
    assert Path(database.path).read_bytes() == before
    assert database.run("SELECT 1", 20).rows == ((1,),), "the database is still there for the next query"


def test_the_limit_of_a_query_is_counted_in_steps_and_begins_anew_with_each(database):
    lasting = f"{ENDLESS} SELECT count(*) FROM (SELECT x FROM n LIMIT {MAX_STEPS // 40})"
    results = [database.run(lasting, 20).rows for _ in range(5)]
    assert results == [((MAX_STEPS // 40,),)] * 5


def test_no_more_rows_are_fetched_than_were_asked_for(database):
    found = database.run(f"{ENDLESS} SELECT x FROM n", 3)
    assert (found.rows, found.cut) == (((1,), (2,), (3,)), True)
    assert not database.run("SELECT 1 UNION SELECT 2 UNION SELECT 3", 3).cut


def test_the_file_can_be_read_by_anything_and_goes_when_it_is_closed(database):
    with sqlite3.connect(database.path) as reader:
        assert reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    reader.close()
    database.close()
    database.close()
    assert not Path(database.path).exists()


def test_the_file_of_a_database_that_nobody_closed_goes_with_it():
    path = Path(Database(WORLD.files[0]).path)
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize(
    ("cell", "told"), [(b"\x00\xff", "x'00ff'"), (float("inf"), "inf"), (1.5, 1.5), (None, None), ("a", "a")]
)
def test_every_cell_can_be_shown_as_json(cell, told):
    assert shown(cell) == told
