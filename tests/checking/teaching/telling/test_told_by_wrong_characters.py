"""G519: tools that say which character of a value would be right."""

import pytest

from grpo_env_sdk import call_message, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found
from tests.gallery.broken.check_letter_told import ShelfMarks, last_letter


class SaysTheWholeMark(ShelfMarks):
    """The right mark is named as a whole."""

    @tool
    def parse_mark(self, mark: str) -> str:
        """Read a shelf mark as the catalogue does."""
        right = mark[:-1] + last_letter(mark[:-1])
        return "Fine." if mark == right else f"{mark} is none, {right} is one."


class SaysOnlyThatItIsWrong(ShelfMarks):
    """Sound: a wrong letter is refused."""

    @tool
    def parse_mark(self, mark: str) -> str:
        """Read a shelf mark as the catalogue does."""
        return f"Letter {mark[-1]}: " + ("fine" if mark[-1] == last_letter(mark[:-1]) else "not of this number")


class WorksItOut(ShelfMarks):
    """Sound: the tool computes the letter for anybody, with the right one too."""

    @tool
    def parse_mark(self, mark: str) -> str:
        """Work out the letter of the number in a mark."""
        return f"The letter of {mark[:-1]} is {last_letter(mark[:-1])}"


class SaysThatItCorrects(ShelfMarks):
    """Sound: the tool is there to put marks right."""

    @tool
    def parse_mark(self, mark: str) -> str:
        """Read a mark as the catalogue does, which corrects its letter."""
        right = last_letter(mark[:-1])
        return "Fine." if mark[-1] == right else f"{right} was put for {mark[-1]}."


class ReadsTheNextLetters(ShelfMarks):
    """Sound: the letters of the reply are those of the call, moved on."""

    @tool
    def parse_mark(self, mark: str) -> str:
        """Show the letter that follows in the alphabet."""
        return f"After it: {chr(ord(mark[-1]) - 3)}"


class NoRule(ShelfMarks):
    """No prompt says which letter is right, and gold is in the row."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"Complete the shelf mark {row['mark'][:-1]} by its letter."} for row in rows]


class LearnsFromTheTool(NoRule):
    """Sound: gold tries a letter, and reads which is right."""

    def solve(self, row):
        got = yield call_message("parse_mark", mark=row["mark"][:-1] + "Q")
        told = got[-1]["content"]
        yield row["mark"][:-1] + (told[-3] if "would have" in told else "Q")


class ReadsAnIndex(NoRule):
    """Sound: another tool has the letter."""

    @tool
    def index(self, number: str) -> str:
        """Read the index of letters."""
        return f"{number} has {last_letter(number)}"

    def solve(self, row):
        got = yield call_message("index", number=row["mark"][:-1])
        yield row["mark"][:-1] + got[-1]["content"][-1]


@pytest.mark.parametrize("env", [ShelfMarks, SaysTheWholeMark])
def test_a_reply_with_the_right_character_to_a_wrong_one_is_an_error(env):
    (finding,) = found(replies_do_not_tell_the_answer, env)
    assert (finding.severity, finding.output["reward"], "parse_mark replies to a wrong value" in finding.message) == (
        "error",
        1.0,
        True,
    )


def test_a_tool_is_warned_about_where_nothing_else_says_what_is_right():
    (finding,) = found(replies_do_not_tell_the_answer, NoRule)
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "env", [SaysOnlyThatItIsWrong, WorksItOut, SaysThatItCorrects, ReadsTheNextLetters, LearnsFromTheTool, ReadsAnIndex]
)
def test_other_replies_are_let_be(env):
    assert found(replies_do_not_tell_the_answer, env) == []
