"""Places that a schema counts from 1 and a tool from 0, seen by the lists of the rows."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told
from tests.checking.trying import found

SHELVES = [["jam", "tea", "rice", "salt"][n % 4 :] + ["jam", "tea", "rice", "salt"][: n % 4] for n in range(12)]


class Shelf(ToolEnv):
    max_turns = 3
    first = 0

    def build_dataset(self, tokenizer):
        asked = "({}) On the shelf: {}. Take {}."
        return [
            {"prompt": asked.format(n, ", ".join(shelf), item), "shelf": shelf, "item": item}
            for n, shelf in enumerate(SHELVES)
            for item in [shelf[1 + n % 3]]
        ]

    def setup(self, row):
        self.taken = None

    @tool
    def take(self, place: int) -> str:
        """Take something off the shelf.

        Args:
            place: Which place; the first place is 1.
        """
        shelf = self.row["shelf"]
        self.taken = shelf[place - self.first] if 0 <= place - self.first < len(shelf) else None
        return "Taken." if self.taken else "Nothing is there."

    @reward
    def right(self, item):
        return self.taken == item

    def solve(self, row):
        return [call_message("take", place=row["shelf"].index(row["item"]) + self.first), "Taken."]


class FromOne(Shelf):
    first = 1


class Either(Shelf):
    """Takes both, so that nobody is misled."""

    @reward
    def right(self, item, tool_calls):
        shelf = self.row["shelf"]
        places = [call["arguments"].get("place") for call in tool_calls]
        return any(place - first == shelf.index(item) for place in places for first in (0, 1))


def test_places_from_0_are_found_though_no_gold_is_0():
    (finding,) = [item for item in found(positions_are_counted_as_told, Shelf) if isinstance(item, Finding)]
    assert "gold calls it with 1 for what is number 2 of a list" in finding.message


@pytest.mark.parametrize("cls", [FromOne, Either])
def test_places_as_they_are_told_are_let_alone(cls):
    assert found(positions_are_counted_as_told, cls) == []
