"""`SqlEnv`: the tools, the rewards and the gold solution of `sql-v1`."""

import re
from collections.abc import Generator
from contextlib import closing
from typing import Any

from grpo_env_sdk import Injected, Message, ToolEnv, answer_text, call_message, reward, tool

from grpo_env_sql.comparing import overlap, same
from grpo_env_sql.database import Database, QueryError, Relation, shown
from grpo_env_sql.rows import MOST_ROWS, Split, make_rows
from grpo_env_sql.schema import DIFFICULTIES, Difficulty
from grpo_env_sql.worlds import make_world

MAX_TURNS: dict[Difficulty, int] = {"easy": 4, "normal": 8, "hard": 12}
_FENCED = re.compile(r"```(?:sql)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)


class SqlEnv(ToolEnv):
    """A question about an SQLite database; the model reads the database and answers with a query.

    Args:
        difficulty: `easy` asks for one number from the only table; `normal` for lists, groups, an order, or
            a join of two tables; `hard` for joins of three, missing rows, the best of each group.
        max_turns: How many messages the model may write; None is slightly more than the difficulty needs.
        seed: Which 1,000 training and 250 held-out questions are drawn.
    """

    def __init__(self, difficulty: Difficulty = "easy", max_turns: int | None = None, seed: int = 0) -> None:
        if difficulty not in DIFFICULTIES:
            raise ValueError(f"difficulty is {difficulty!r}; it can be {', '.join(DIFFICULTIES)}.")
        self.difficulty: Difficulty = difficulty
        self.max_turns = MAX_TURNS[difficulty] if max_turns is None else max_turns
        self.seed = seed
        self.database: Database | None = None

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """The questions, each with the seed of its databases."""
        return make_rows(self.difficulty, split, self.seed)

    def setup(self, row: dict[str, Any]) -> None:
        """Write the database of the row to its own file."""
        self.close()
        self.world = make_world(row["world_seed"], row["difficulty"])
        self.database = Database(self.world.files[0])

    def close(self) -> None:
        """Remove the file of the episode."""
        if self.database:
            self.database.close()

    @tool
    def list_tables(self, database: Injected[Database]) -> list[Any]:
        """List the tables of the database."""
        return [name for (name,) in database.run("SELECT name FROM sqlite_master", MOST_ROWS).rows]

    @tool
    def describe_table(self, table: str, database: Injected[Database]) -> Any:
        """Show the columns of a table, by the statement that created it.

        Args:
            table: The name of the table.
        """
        found = database.run("SELECT name, sql FROM sqlite_master", MOST_ROWS)
        return next(
            (sql for name, sql in found.rows if name == table), {"error": f"no such table: {table:.40}"}
        )

    @tool
    def run_query(self, sql: str, database: Injected[Database]) -> dict[str, Any]:
        """Run one SELECT statement and show the first 20 rows of its result.

        Args:
            sql: The statement.
        """
        try:
            found = database.run(sql, MOST_ROWS)
        except QueryError as exc:
            return {"error": str(exc)}
        rows = [[shown(cell) for cell in row] for row in found.rows]
        return {"columns": list(found.columns), "rows": rows, **({"more": True} if found.cut else {})}

    @reward(weight=4)
    def right(self, messages: list[Message], sql: str, ordered: bool) -> bool:
        """The answer and the gold query have the same result, on the visible and the hidden databases."""
        return all(
            given is not None and same(given, gold, ordered) for given, gold in self._results(messages, sql)
        )

    @reward
    def close_to_it(self, messages: list[Message], sql: str) -> float:
        """The share of right rows, on the hidden database where it is lowest."""
        _, *hidden = self._results(messages, sql)
        return min(0.0 if given is None else overlap(given, gold) for given, gold in hidden)

    def solve(self, row: dict[str, Any]) -> Generator[Message, list[Message], None]:
        """The gold solution: read the tables that the query needs, try the query, answer with it."""
        yield call_message("list_tables")
        tables = make_world(row["world_seed"], row["difficulty"]).schema.tables
        for table in tables:
            if re.search(rf"\b{table.name}\b", row["sql"]):
                yield call_message("describe_table", table=table.name)
        if row["difficulty"] != "easy":
            yield call_message("run_query", sql=row["sql"])
        yield {"role": "assistant", "content": row["sql"]}

    def _results(self, messages: list[Message], sql: str) -> list[tuple[Relation | None, Relation]]:
        """The results of the answer and the gold query on each database; None if the answer cannot be run."""
        answer = _query_in(answer_text(messages))
        found = []
        for file in self.world.files:
            with closing(Database(file)) as database:
                found.append((_run(database, answer), database.run(sql, MOST_ROWS)))
        return found


def _query_in(answer: str) -> str:
    """The statement in an answer, with or without a code fence."""
    fenced = _FENCED.fullmatch(answer.strip())
    return fenced[1] if fenced else answer


def _run(database: Database, sql: str) -> Relation | None:
    try:
        return database.run(sql, MOST_ROWS)
    except QueryError:
        return None
