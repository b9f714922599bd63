import json
import re
from pathlib import Path

import pytest
from grpo_env_sdk import call_message
from gymnasium.utils.env_checker import check_env

from grpo_env_sql import SqlEnv
from grpo_env_sql.database import Database
from grpo_env_sql.rows import RULES
from grpo_env_sql.schema import DIFFICULTIES

README = Path(__file__).parent.parent / "README.md"


@pytest.fixture
def env(rows_of):
    made = SqlEnv("hard", max_turns=100)
    made.reset(options=rows_of("hard")[0])
    yield made
    made.close()


def ask(env, name, **arguments):
    observation, _, terminated, _, _ = env.step(call_message(name, **arguments))
    assert not terminated
    content = observation[-1]["content"]
    return json.loads(content) if content[0] in "[{" else content


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_gold_solution_scores_one(difficulty, play, rows_of):
    env = SqlEnv(difficulty)
    for row in rows_of(difficulty)[:100]:
        score, parts = play(env, row, env.solve(row))
        assert score == 1.0, (row, parts)
        assert env.turns < env.max_turns


def test_gymnasium_finds_nothing_wrong(rows_of, monkeypatch):
    monkeypatch.setattr(SqlEnv, "build_dataset", lambda self, tokenizer: rows_of("hard")[:3])
    check_env(SqlEnv("hard"), skip_render_check=True)


def test_the_tools_are_shown_without_the_database_and_a_model_cannot_pass_one(env):
    taken = {
        tool["function"]["name"]: list(tool["function"]["parameters"]["properties"])
        for tool in env.get_tools()
    }
    assert taken == {"list_tables": [], "describe_table": ["table"], "run_query": ["sql"]}
    error = ask(env, "run_query", sql="SELECT 1", database="another.sqlite")["error"]
    assert (error["type"], error["path"]) == ("invalid_arguments", "database")


def test_the_tools_show_the_tables_their_columns_and_the_result_of_a_query(env):
    tables = ask(env, "list_tables")
    assert tables == [table.name for table in env.world.schema.tables]
    for table in env.world.schema.tables:
        assert ask(env, "describe_table", table=table.name) == table.create
    found = ask(env, "run_query", sql=f"SELECT id, id * 0.5 AS half FROM {tables[2]} ORDER BY id")
    assert found["columns"] == ["id", "half"]
    assert found["rows"][:2] == [[1, 0.5], [2, 1.0]]
    assert (len(found["rows"]), found["more"]) == (20, True)


def test_what_is_wrong_with_a_query_is_answered_and_the_episode_goes_on(env):
    assert ask(env, "run_query", sql="SELECT missing") == {"error": "no such column: missing"}
    assert ask(env, "run_query", sql="PRAGMA user_version") == {"error": "not authorized"}
    assert ask(env, "run_query", sql="") == {"error": "there is no statement"}
    assert ask(env, "describe_table", table="x") == {"error": "no such table: x"}
    assert ask(env, "run_query", sql="SELECT 9e999, x'00'")["rows"] == [["inf", "x'00'"]]


def test_the_file_of_an_episode_goes_with_the_next_one_and_with_close(rows_of):
    env = SqlEnv("hard")
    env.close()
    env.reset(options=rows_of("hard")[0])
    first = Path(env.database.path)
    env.reset(options=rows_of("hard")[1])
    second = Path(env.database.path)
    assert second.exists()
    assert not first.exists()
    env.close()
    env.close()
    assert not second.exists()


@pytest.mark.parametrize(
    "form", ["{}", "  {};\n", "```sql\n{}\n```", "```\n{}```\n", "<think>\nLet me see.\n</think>\n\n{}"]
)
def test_the_query_may_stand_in_a_fence_or_after_a_thought(form, play, rows_of):
    row = rows_of("normal")[0]
    assert play(SqlEnv("normal"), row, iter_of(form.format(row["sql"])))[0] == 1.0


@pytest.mark.parametrize(
    "form", ["The answer is {}", "{} {}", "{}; {}", "EXPLAIN {}", "SELECT * FROM ({}) LIMIT 0"]
)
def test_what_is_no_query_or_another_one_is_worth_nothing(form, play, rows_of):
    row = rows_of("normal")[0]
    assert play(SqlEnv("normal"), row, iter_of(form.replace("{}", row["sql"])))[0] == 0.0


def test_the_order_counts_where_the_question_asks_for_it(play, rows_of):
    row = next(row for row in rows_of("normal") if row["template"] == "first_three")
    other_order = f"SELECT * FROM ({row['sql']}) ORDER BY 1 DESC"
    assert play(SqlEnv("normal"), row, iter_of(other_order))[1] == {"right": 0.0, "close_to_it": 1.0}
    assert play(SqlEnv("normal"), {**row, "ordered": False}, iter_of(other_order))[0] == 1.0


def test_a_stored_transcript_scores_again_as_it_did_and_needs_only_its_row(play, rows_of):
    row = json.loads(json.dumps(rows_of("normal")[1]))
    env = SqlEnv("normal")
    score, _ = play(env, row, env.solve(row))
    completion = json.loads(json.dumps(env.messages[len(row["prompt"]) :]))
    assert SqlEnv("normal").score_episode(None, None, completion, row=row) == score == 1.0


def test_a_query_that_runs_for_ever_does_not_hold_up_the_scoring(play, rows_of):
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    assert play(SqlEnv(), rows_of("easy")[0], iter_of(endless))[0] == 0.0


def test_each_instance_has_a_file_of_its_own(rows_of):
    one, other = SqlEnv(), SqlEnv()
    for env in (one, other):
        env.reset(options=rows_of("easy")[0])
    assert isinstance(one.database, Database)
    assert one.database.path != other.database.path
    one.close()
    assert ask(other, "list_tables")
    other.close()


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
        expected = "".join(f"{line}\n" for line in re.findall(r"# prints (.*)", block))
        assert capsys.readouterr().out == expected


def test_the_readme_quotes_the_rules_as_they_are():
    assert RULES in " ".join(README.read_text(encoding="utf-8").replace("\n> ", " ").split())


def iter_of(text):
    """A course of one message."""
    yield {"role": "assistant", "content": text}
