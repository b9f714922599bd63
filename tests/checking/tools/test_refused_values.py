"""Values of an enum that a tool does not know, beside values that it cannot use now."""

from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.tools.refusing import every_listed_value_is_accepted
from tests.checking.trying import found


class Basket(ToolEnv):
    """Put what is asked for into the basket; taking out is refused while it is empty."""

    max_turns = 3
    refusal = "invalid: there is nothing to remove"

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Add item {n}.", "item": f"item {n}"} for n in range(12)]

    def setup(self, row):
        self.items = []

    @tool
    def change(self, item: str, action: Literal["add", "remove"]) -> str:
        """Change the basket.

        Args:
            item: What.
            action: What to do with it.
        """
        if action == "remove" and item not in self.items:
            return self.refusal
        (self.items.append if action == "add" else self.items.remove)(item)
        return f"{len(self.items)} items"

    @reward
    def right(self, completion, item):
        return self.items == [item]

    def solve(self, row):
        yield call_message("change", item=row["item"], action="add")
        yield "Done."


class Unfinished(Basket):
    refusal = "Unsupported action 'remove'."


def test_a_value_that_is_never_known_is_named():
    (finding,) = found(every_listed_value_is_accepted, Unfinished)
    assert "action='remove'" in finding.message
    assert finding.severity == "warning"


def test_a_value_that_cannot_be_used_yet_is_let_be():
    assert found(every_listed_value_is_accepted, Basket) == []


class Unsolved(ToolEnv):
    """Nobody plays gold: calls that work are those with the values of the row."""

    def build_dataset(self, tokenizer):
        towns, kinds = ("Bern", "Chur", "Thun"), ("second", "first_class")
        return [{"prompt": f"{kind} to {town}", "town": town, "kind": kind} for town in towns for kind in kinds * 3]

    def setup(self, row):
        self.bought = ""

    @tool
    def buy(self, town: str, kind: Literal["second", "first_class"]) -> str:
        """Buy a ticket.

        Args:
            town: Where to.
            kind: The class.
        """
        if kind == "first_class":
            return f"There is no class {kind} here."
        self.bought = town
        return f"A ticket to {town}."

    @reward
    def right(self, town, kind):
        return self.bought == town and kind == "second"


def test_a_value_that_rows_need_is_an_error_also_without_a_solution():
    (finding,) = found(every_listed_value_is_accepted, Unsolved)
    assert "first_class" in finding.message
    assert finding.severity == "error"
