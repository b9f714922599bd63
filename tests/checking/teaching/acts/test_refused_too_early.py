"""Calls that are refused as they come too early, and that the score counts all the same."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.refused_acts import refused_acts_do_not_count
from tests.checking.trying import found

BOOKS = ["Emma", "Ulysses", "Candide", "Dracula", "Persuasion", "Germinal", "Ivanhoe", "Rebecca", "Utopia", "Walden"]


class Lending(ToolEnv):
    """A book is lent once the card of the reader was read; the score looks at what was asked for."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        text = "Reader {} wants to borrow '{}'. Read the card first, then lend the book. Say 'Done.' at the end."
        return [{"prompt": text.format(40 + n, book), "reader": 40 + n, "book": book} for n, book in enumerate(BOOKS)]

    def setup(self, row):
        self.read, self.lent = False, []

    @tool
    def read_card(self, reader: int) -> str:
        """Read the card of a reader."""
        self.read = reader == self.row["reader"]
        return "The card is valid." if self.read else "There is no such reader."

    @tool
    def lend(self, reader: int, book: str) -> str:
        """Lend a book to a reader whose card was read."""
        if not self.read:
            return self.without_card(book)
        self.lent.append(book)
        return "The book is lent."

    def without_card(self, book):
        return "Not lent: the card has to be read first."

    @reward
    def is_lent(self, tool_calls, book):
        return [call["arguments"]["book"] for call in tool_calls if call["name"] == "lend"] == [book]

    def solve(self, row):
        yield call_message("read_card", reader=row["reader"])
        yield call_message("lend", reader=row["reader"], book=row["book"])
        yield "Done."


class LentOnly(Lending):
    """Sound: the score looks at what was lent."""

    @reward
    def is_lent(self, book):
        return self.lent == [book]


class WithANote(Lending):
    """Nothing is refused: the book is lent, and the reply says what was not done before."""

    def without_card(self, book):
        self.lent.append(book)
        return "The book is lent. The card was not read."


class AnyOrder(LentOnly):
    """Sound: what was refused is made up for when the card is read."""

    def without_card(self, book):
        self.waiting = book
        return "Not lent: the card has to be read first."


def test_a_call_that_is_refused_as_it_is_too_early_is_an_error():
    finding = found(refused_acts_do_not_count, Lending)[0]
    assert finding.message.startswith("A call of lend without read_card before it that is refused ('Not lent")


@pytest.mark.parametrize("sound", [LentOnly, WithANote, AnyOrder])
def test_what_was_carried_out_is_sound(sound):
    assert found(refused_acts_do_not_count, sound) == []
