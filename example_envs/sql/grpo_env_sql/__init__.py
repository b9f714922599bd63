"""`sql-v1`: a model reads an SQLite database with tools, and answers a question with a query."""

from grpo_env_sql.env import SqlEnv

__all__ = ["SqlEnv"]
