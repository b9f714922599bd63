"""Gold that is changed again afterwards."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.too_much.later_changes import what_is_changed_again_is_not_gold
from tests.checking.trying import found

TABLES = {"round": 8, "long": 12, "small": 4}
PARTIES = [("Ada", 2), ("Bo", 3), ("Cy", 4), ("Di", 2), ("Ed", 3), ("Flo", 6), ("Gus", 7), ("Hal", 2)]


class Seating(ToolEnv):
    """A party gets any table that is large enough."""

    at_any_time = False

    def build_dataset(self, tokenizer):
        sizes = ", ".join(f"{table} ({seats} seats)" for table, seats in TABLES.items())
        return [
            {"prompt": f"Seat the {count} guests of {name} at a table with enough seats: {sizes}.", "guests": count}
            for name, count in PARTIES
        ]

    def setup(self, row):
        self.table, self.seated = None, False

    @tool
    def assign_table(self, name: str, table: str) -> str:
        """Give a party a table; a party that has one moves.

        Args:
            name: Whose party it is.
            table: Its table.
        """
        self.table = table
        self.seated |= TABLES.get(table, 0) >= self.row["guests"]
        return f"{name} sits at the {table} table."

    @reward
    def enough_seats(self, guests):
        return self.seated if self.at_any_time else TABLES.get(self.table, 0) >= guests

    def solve(self, row):
        name = PARTIES[row["case_idx"]][0]
        return [call_message("assign_table", name=name, table="small" if row["guests"] < 5 else "long"), "Seated."]


class SmallestTable(Seating):
    """A party gets the smallest table that is large enough, at some time."""

    at_any_time = True

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Take the smallest of these."} for row in rows]

    @tool
    def assign_table(self, name: str, table: str) -> str:
        """Give a party a table; a party that has one moves.

        Args:
            name: Whose party it is.
            table: Its table.
        """
        self.table = table
        self.seated |= table == self.smallest()
        return f"{name} sits at the {table} table."

    def smallest(self):
        return "small" if self.row["guests"] < 5 else "round"

    @reward
    def enough_seats(self, guests):
        return self.seated if self.at_any_time else self.table == self.smallest()

    def solve(self, row):
        return [call_message("assign_table", name=PARTIES[row["case_idx"]][0], table=self.smallest()), "Seated."]


class SmallestInTheEnd(SmallestTable):
    """The table in the end counts."""

    at_any_time = False


@pytest.mark.parametrize("cls", [Seating, SmallestInTheEnd])
def test_another_value_that_is_right_from_the_start_or_wrong_in_the_end_is_no_fault(cls):
    assert found(what_is_changed_again_is_not_gold, cls) == []


def test_a_wrong_value_in_the_end_is_told():
    (finding,) = found(what_is_changed_again_is_not_gold, SmallestTable)
    assert "Gold whose 'table' is changed by assign_table" in finding.message
