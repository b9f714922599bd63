"""Acts that have to be done in the order of a list that a tool shows, and are compared as a set."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.order_of_acts import the_order_that_is_asked_for_counts as order
from tests.checking.trying import found

PARTS = ("kyrie", "gloria", "credo", "sanctus", "agnus", "benedictus")


class Mass(ToolEnv):
    """The parts of a mass are sung as the book has them."""

    max_turns = 10
    asked = "Sing each part of it once with `sing`, in the order of the book, then say 'amen'."

    def build_dataset(self, tokenizer):
        told = "Feast {} has a book of its own, which `book` reads. "
        return [
            {"prompt": told.format(n) + self.asked, "parts": random.Random(n).sample(PARTS, 4)} for n in range(12)
        ]  # fmt: skip

    def setup(self, row):
        self.sung = []

    @tool
    def book(self) -> list[str]:
        """The parts in the book of the feast."""
        return self.row["parts"]

    @tool
    def sing(self, part: str) -> str:
        """Sing a part.

        Args:
            part: Its name in the book.
        """
        self.sung.append(part)
        return f"The choir sings the {part}."

    @reward
    def is_right(self, parts):
        return self.sung == parts

    def solve(self, row):
        yield call_message("book")
        for part in row["parts"]:
            yield call_message("sing", part=part)
        yield "amen"


class AsASet(Mass):
    @reward
    def is_right(self, parts):
        return sorted(self.sung) == sorted(parts)


class OutOfOrder(AsASet):
    asked = "Sing each part of it once with `sing`; a part that is sung out of order spoils the feast."


class TopToBottom(AsASet):
    asked = "Sing each part of it once with `sing`, from top to bottom, and say 'amen' at the end."


class FirstAndLastOnly(Mass):
    @reward
    def is_right(self, parts):
        return sorted(self.sung) == sorted(parts) and [self.sung[0], self.sung[-1]] == [parts[0], parts[-1]]


class InWhateverOrder(AsASet):
    """Sound: the order is free."""

    asked = "Sing each part of it once with `sing`, in whatever order, not in the order of the book alone."


class OnlyNamedInOrder(AsASet):
    """Sound: the order is that of an answer."""

    asked = "Sing each part of it once with `sing`; then name them in the order of the book."


@pytest.mark.parametrize("cls", [AsASet, OutOfOrder, TopToBottom])
def test_acts_in_another_order_than_the_list_are_found(cls):
    [finding] = found(order, cls)
    assert finding.severity == "error"
    assert "in reverse" in finding.message


@pytest.mark.parametrize("cls", [Mass, InWhateverOrder, OnlyNamedInOrder])
def test_orders_that_count_or_are_free_are_let_be(cls):
    assert found(order, cls) == []


def test_acts_between_the_first_and_the_last_are_put_out_of_order_too():
    [finding] = found(order, FirstAndLastOnly)
    assert "between its first and its last" in finding.message
