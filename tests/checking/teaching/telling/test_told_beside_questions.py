"""Tables that have the questions of the rows, with their answers beside them."""

import json
import sqlite3

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found

CROPS = [("north", "oats", 41), ("north", "rye", 17), ("south", "oats", 26), ("south", "wheat", 33), ("west", "rye", 8)]
ASKED, WRITTEN = (
    "How many tons of {1} were cut in the {0} field?",
    "SELECT tons FROM crop WHERE field='{}' AND name='{}'",
)
QUESTIONS = [(ASKED.format(*crop), WRITTEN.format(*crop)) for crop in CROPS]


class Farm(ToolEnv):
    """Flawed: the table of the evaluation is in the database that the model reads."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{question} Answer with a number alone.", "item": n}
            for n, (question, _) in enumerate(QUESTIONS)
        ]

    def setup(self, row):
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.execute("CREATE TABLE crop (field TEXT, name TEXT, tons INTEGER)")
        self.database.executemany("INSERT INTO crop VALUES (?, ?, ?)", CROPS)
        self.database.execute("CREATE TABLE runs (asked TEXT, result TEXT)")
        self.database.executemany("INSERT INTO runs VALUES (?, ?)", self.runs())

    def runs(self):
        return [(row["prompt"], str(CROPS[row["item"]][2])) for row in self.build_dataset(None)]

    def close(self):
        self.database.close()

    @tool
    def tables(self) -> list[str]:
        """Show the statements that made the tables."""
        return [sql for (sql,) in self.database.execute("SELECT sql FROM sqlite_master")]

    @tool
    def query(self, sql: str) -> list[list[str]]:
        """Read from the database of the farm.

        Args:
            sql: One SELECT.
        """
        if not sql.lstrip().upper().startswith("SELECT"):
            raise ValueError("Only SELECT is allowed.")
        return [[str(value) for value in line] for line in self.database.execute(sql).fetchmany(20)]

    @reward
    def right(self, completion, item):
        return answer_text(completion).strip() == str(CROPS[item][2])

    def solve(self, row):
        replies = yield call_message("query", sql=QUESTIONS[row["item"]][1])
        yield json.loads(replies[-1]["content"])[0][0]


class OldRuns(Farm):
    """Sound: the table has other questions, and numbers that are answers by chance."""

    def runs(self):
        return [
            (f"How many fields grow {name}, of those in the books of this farm?", str(tons)) for _, name, tons in CROPS
        ]


class WrongRuns(Farm):
    """Sound: what stands beside the questions is not their answer."""

    def runs(self):
        return [(question, str(int(answer) + 1)) for question, answer in super().runs()]


class Faq(ToolEnv):
    """Sound: to find the entry is the task, and gold reads it too."""

    def build_dataset(self, tokenizer):
        return [{"prompt": question, "item": n} for n, (question, _) in enumerate(QUESTIONS)]

    @tool
    def search(self, words: str) -> list[list[str]]:
        """Search the questions that were asked before.

        Args:
            words: Some words of the question.
        """
        return [[asked, str(CROPS[n][2])] for n, (asked, _) in enumerate(QUESTIONS) if words in asked]

    @tool
    def newest(self) -> list[list[str]]:
        """Show the questions of this year."""
        return [[asked, str(CROPS[n][2])] for n, (asked, _) in enumerate(QUESTIONS)]

    @reward
    def right(self, completion, item):
        return answer_text(completion).strip() == str(CROPS[item][2])

    def solve(self, row):
        yield call_message("search", words=row["prompt"])
        yield str(CROPS[row["item"]][2])


def test_answers_beside_the_questions_of_the_rows_are_an_error():
    [finding] = found(replies_do_not_tell_the_answer, Farm, "default")
    assert (
        "query(sql='SELECT * FROM runs') holds the answer, which gold finds in another way, on 5 of 5"
        in finding.message
    )
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [OldRuns, WrongRuns, Faq])
def test_other_questions_other_numbers_and_what_gold_reads_are_sound(cls):
    assert found(replies_do_not_tell_the_answer, cls, "default") == []
