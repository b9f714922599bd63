"""Questions about seeds in SQL; what one answer deletes is missing for all later ones."""

import sqlite3

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

QUERIES = {
    "How many kinds are there?": "SELECT COUNT(*) FROM seeds",
    "How many seeds are there of all kinds?": "SELECT SUM(number) FROM seeds",
    "Of which kind are there most?": "SELECT kind FROM seeds ORDER BY number DESC LIMIT 1",
    "How many kinds are sown in March?": "SELECT COUNT(*) FROM seeds WHERE month = 3",
    "How many seeds are there of peas?": "SELECT number FROM seeds WHERE kind = 'peas'",
    "When are beets sown?": "SELECT month FROM seeds WHERE kind = 'beets'",
}
SEEDS = [("peas", 40, 3), ("beets", 90, 4), ("leek", 210, 3), ("dill", 130, 5)]


class Seeds(SingleTurnEnv):
    def __init__(self):
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        self.db.execute("CREATE TABLE seeds (kind TEXT, number INTEGER, month INTEGER)")
        self.db.executemany("INSERT INTO seeds VALUES (?, ?, ?)", SEEDS)
        self.db.commit()

    def build_dataset(self, tokenizer):
        asked = "The table seeds has the columns kind, number and month (1 to 12). {} Answer with one query in SQLite."
        return [
            {"prompt": asked.format(question), "query": query, "result": str(self.db.execute(query).fetchone()[0])}
            for question, query in QUERIES.items()
        ]

    def run(self, query):
        return self.db.execute(query).fetchall()

    @reward
    def right(self, completion, result):
        try:
            return [str(one) for (one,) in self.run(answer_text(completion))] == [result]
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return 0.0

    def solve(self, row):
        return row["query"]
