"""Users who leave at a word of a question."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.hung_up_at_words import questions_do_not_end_the_conversation as words
from tests.checking.trying import found

COLOURS = ["red", "blue", "green", "white", "black", "grey", "brown"]


class Painter(ToolEnv):
    """The customer leaves as soon as somebody speaks of painting."""

    max_turns = 6

    def build_dataset(self, tokenizer: Any) -> Any:
        ask = "A customer wants door {} painted. Ask for the colour, paint it, and say so."
        return [{"prompt": ask.format(n), "door": n, "colour": colour} for n, colour in enumerate(COLOURS)]

    def setup(self, row: Any) -> None:
        self.doors: dict[int, str] = {}

    @tool
    def paint_door(self, door: int, colour: str) -> str:
        """Paint a door."""
        self.doors[door] = colour
        return "Done."

    def leaves(self, said: str) -> bool:
        return "paint" in said

    def user(self, messages: Any) -> str | None:
        said = answer_text(messages[-1]).lower()
        if self.leaves(said):
            return None
        return f"In {self.row['colour']}." if "colour" in said else "Pardon?"

    @reward
    def painted(self, door: int, colour: str) -> bool:
        return self.doors == {door: colour}

    def solve(self, row: Any) -> Any:
        yield "In which colour do you want it?"
        yield call_message("paint_door", door=row["door"], colour=row["colour"])
        yield "It is painted."


class LeavesWhenPainted(Painter):
    """The customer leaves once it is done."""

    def leaves(self, said: str) -> bool:
        return bool(self.doors)


class LeavesAtItIs(Painter):
    """The customer leaves at words that only the end has."""

    def leaves(self, said: str) -> bool:
        return "it is painted" in said


class Hasty(Painter):
    """The customer leaves at any question but one, whatever is in it."""

    def leaves(self, said: str) -> bool:
        return not said.startswith("in which")


def test_a_user_who_leaves_at_a_word_of_a_question_is_found() -> None:
    (finding,) = found(words, Painter)
    assert finding.severity == "warning"
    assert "paint door" in finding.message


@pytest.mark.parametrize("cls", [LeavesWhenPainted, LeavesAtItIs, Hasty])
def test_users_who_leave_at_the_end_or_at_anything_are_let_be(cls: type) -> None:
    assert found(words, cls) == []
