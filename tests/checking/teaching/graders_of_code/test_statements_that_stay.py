"""Answers in SQL that change what later answers get."""

import sqlite3

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.teaching.graders_of_code.statements_that_stay import (
    statements_change_nothing_for_later_answers as check,
)
from tests.checking.trying import found, subject_of
from tests.gallery.broken.deleted_for_all import Seeds


class Fenced(Seeds):
    """Gold is in a fence, with a part that has a name."""

    def run(self, query):
        return super().run(query.strip().removeprefix("```sql").removesuffix("```"))

    def solve(self, row):
        return f"```sql\nWITH sown AS ({row['query']})\nSELECT * FROM sown;\n```"


class Scripts(Seeds):
    """An answer has to begin with SELECT, and all of its statements run."""

    def run(self, query):
        if not query.lower().startswith("select"):
            return []
        *before, last = query.split(";")
        for one in before:
            self.db.execute(one)
        return self.db.execute(last).fetchall()


class Fresh(Seeds):
    """A copy of the data for each answer."""

    def run(self, query):
        copy = sqlite3.connect(":memory:")
        self.db.backup(copy)
        try:
            return copy.execute(query).fetchall()
        finally:
            copy.close()


class QueryOnly(Seeds):
    def run(self, query):
        self.db.execute("PRAGMA query_only = ON")
        return super().run(query)


class Guarded(Seeds):
    """One statement, which has to be a query."""

    def run(self, query):
        return super().run(query) if query.lower().startswith(("select", "with")) else []


class BothChange(Seeds):
    """Gold's query runs on the same data as the answer, so that both change alike."""

    @reward
    def right(self, completion, query):
        try:
            return self.run(answer_text(completion)) == self.run(query)
        except (sqlite3.Error, sqlite3.Warning):
            return 0.0


class Words(Seeds):
    """Gold is a sentence with a word of SQL."""

    @reward
    def right(self, completion, query):
        return answer_text(completion) == f"Pick from {query}"

    def solve(self, row):
        return f"Pick from {row['query']}"


@pytest.mark.parametrize("cls", [Seeds, Fenced])
def test_statements_whose_changes_stay_are_found(cls):
    (finding,) = found(check, cls)
    assert finding.severity == "error"
    assert "CREATE TEMPORARY TABLE seeds" in finding.message
    assert "scores 0 instead of 1" in finding.message


def test_statements_behind_a_query_are_found():
    (finding,) = found(check, Scripts)
    assert "; CREATE TEMPORARY TABLE" in finding.message


@pytest.mark.parametrize("cls", [Fresh, QueryOnly, Guarded, BothChange, Words])
def test_data_that_stay_as_they_are_are_not_reported(cls):
    assert not found(check, cls)


def test_the_data_are_as_before_afterwards():
    subject = subject_of(Seeds)
    assert list(check(subject))
    assert subject.loaded.env.db.execute("SELECT COUNT(*) FROM seeds").fetchone() == (4,)
    assert subject.loaded.env.db.execute("SELECT COUNT(*) FROM sqlite_temp_master").fetchone() == (0,)
