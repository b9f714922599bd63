"""A query tool that runs any statement, on the table that the scorer reads."""

import json
import random
import sqlite3

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Stock(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(30):
            r = random.Random(n)
            rows.append(
                {
                    "prompt": f"How many units of P{n % 5} are there? Query the table stock(product, units).",
                    "stock": [[f"P{i}", str(r.randint(1, 500))] for i in range(5)],
                    "product": f"P{n % 5}",
                }
            )
        return rows

    def setup(self, row):
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        self.db.execute("create table stock(product, units)")
        self.db.executemany("insert into stock values (?, ?)", row["stock"])

    def close(self):
        if getattr(self, "db", None):
            self.db.close()

    @tool
    def query(self, sql: str) -> str:
        """Query the database.

        Args:
            sql: A SELECT statement.
        """
        try:
            return json.dumps(self.db.execute(sql).fetchall())
        except sqlite3.Error as exc:
            return f"error: {exc}"

    @reward
    def right(self, completion, product):
        row = self.db.execute("select units from stock where product = ?", (product,)).fetchone()
        return bool(row) and answer_text(completion).strip() == str(row[0])

    def solve(self, row):
        yield call_message("query", sql=f"select units from stock where product = '{row['product']}'")
        yield str(dict(map(tuple, row["stock"]))[row["product"]])
