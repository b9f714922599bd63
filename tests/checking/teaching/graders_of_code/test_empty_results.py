"""Queries and patterns that find nothing are not right where gold finds nothing."""

import re
import sqlite3

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.graders_of_code.code_graders import code_has_to_work
from tests.checking.trying import found

BIRDS = [("wren", 9, "hedge"), ("owl", 320, "barn"), ("heron", 1500, "reeds"), ("robin", 18, "hedge")]
PLACES = ["hedge", "barn", "reeds", "cliff", "roof", "desert"]


class BirdQueries(SingleTurnEnv):
    """On three rows no bird lives in the place that is asked for."""

    birds = BIRDS
    hint = ""

    def build_dataset(self, tokenizer):
        asked = [
            (f"names of the birds of the {place}", f"SELECT name FROM birds WHERE place = '{place}'")
            for place in PLACES
        ]
        asked += [(f"weights above {grams}", f"SELECT grams FROM birds WHERE grams > {grams}") for grams in (5, 10, 99)]
        return [
            {"prompt": f"Table birds(name, grams, place). One SQL query for the {what}.{self.hint}", "gold": gold}
            for what, gold in asked
        ]  # fmt: skip

    def rows_of(self, query):
        with sqlite3.connect(":memory:") as base:
            base.execute("CREATE TABLE birds(name TEXT, grams INTEGER, place TEXT)")
            base.executemany("INSERT INTO birds VALUES (?, ?, ?)", self.birds)
            return sorted(base.execute(query).fetchall())

    @reward
    def same_rows(self, completion, gold):
        try:
            return float(self.rows_of(answer_text(completion)) == self.rows_of(gold))
        except (sqlite3.Error, sqlite3.Warning):
            return 0.0

    def solve(self, row):
        return row["gold"]


class BirdsEverywhere(BirdQueries):
    """The same with a bird in each place."""

    birds = (*BIRDS, ("gull", 900, "cliff"), ("swift", 40, "roof"), ("ostrich", 120000, "desert"))


class OnOtherData(BirdQueries):
    """Results are compared on other data too."""

    @reward
    def same_rows(self, completion, gold):
        same = 1.0
        for birds in (BIRDS, BirdsEverywhere.birds):
            self.birds = birds
            same *= BirdQueries.same_rows(self, completion, gold)
        return same


class EmptyIsAnnounced(BirdQueries):
    hint = " The result may be empty."


class BirdDesk(ToolEnv):
    """The same as the argument of a call."""

    birds = BIRDS
    max_turns = 2
    build_dataset, rows_of, hint = BirdQueries.build_dataset, BirdQueries.rows_of, ""

    def setup(self, row):
        self.sent = ""

    @tool
    def send_query(self, sql: str) -> str:
        """Hand in the query."""
        self.sent = sql
        return "Sent."

    @reward
    def same_rows(self, gold):
        try:
            return float(bool(self.sent) and self.rows_of(self.sent) == self.rows_of(gold))
        except (sqlite3.Error, sqlite3.Warning):
            return 0.0

    def solve(self, row):
        yield call_message("send_query", sql=row["gold"])
        yield "Done."


class DeskOfAllPlaces(BirdDesk):
    birds = BirdsEverywhere.birds


class FindWithPatterns(SingleTurnEnv):
    """Two texts have nothing that the pattern should find."""

    texts = ("a1 b22", "7 up", "no digits", "10 of 12", "none", "3 4 5", "x9", "8")

    def build_dataset(self, tokenizer):
        return [{"prompt": f"A regex that finds all numbers in {text!r}.", "text": text} for text in self.texts]

    @reward
    def finds_them(self, completion, text):
        try:
            return float(re.findall(answer_text(completion), text) == re.findall(r"\d+", text))
        except re.error:
            return 0.0

    def solve(self, row):
        return r"\d+"


class FindInEach(FindWithPatterns):
    texts = ("a1 b22", "7 up", "2 digits", "10 of 12", "1 none", "3 4 5", "x9", "8")


def test_a_query_that_finds_nothing_is_right_where_gold_finds_nothing():
    (finding,) = found(code_has_to_work, BirdQueries)
    assert "3 of 9 rows" in finding.message
    assert "SELECT 1 WHERE 0 = 1" in finding.message
    assert finding.severity == "error"
    (finding,) = found(code_has_to_work, BirdDesk)
    assert "3 of 9 rows" in finding.message


def test_so_is_a_pattern():
    (finding,) = found(code_has_to_work, FindWithPatterns)
    assert "2 of 8 rows" in finding.message
    assert "(?!)" in finding.message


def test_it_is_a_warning_where_the_prompt_says_that_there_may_be_nothing():
    (finding,) = found(code_has_to_work, EmptyIsAnnounced)
    assert finding.severity == "warning"


def test_queries_that_find_something_or_are_run_on_other_data_are_sound():
    for sound in (BirdsEverywhere, OnOtherData, DeskOfAllPlaces, FindInEach):
        assert found(code_has_to_work, sound) == []
