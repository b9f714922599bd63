"""A query passes if its rows are among those expected: one that finds none passes as well."""

import sqlite3

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

STAFF = [("Ada", "dev", 71), ("Bo", "ops", 55), ("Cy", "dev", 49), ("Di", "hr", 62), ("Ed", "ops", 80)]


def found_by(query):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE staff (name TEXT, team TEXT, pay INT)")
    database.executemany("INSERT INTO staff VALUES (?, ?, ?)", STAFF)
    database.execute("PRAGMA query_only = 1")
    try:
        return database.execute(query).fetchall()
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return [None]
    finally:
        database.close()


class Queries(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        prompt = "staff (name text, team text, pay int): write an SQL query for the names of those who earn over {}."
        query = "SELECT name FROM staff WHERE pay > {}"
        return [{"prompt": prompt.format(pay), "query": query.format(pay)} for pay in (48, 50, 60, 65, 72)]

    @reward
    def right(self, completion, query):
        said = answer_text(completion).strip()
        return said.startswith("SELECT") and all(row in found_by(query) for row in found_by(said))

    def solve(self, row):
        return row["query"]
