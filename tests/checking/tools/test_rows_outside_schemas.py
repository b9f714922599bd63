"""T426: the schema of a tool refuses what some rows need."""

from typing import Literal

import pytest

from grpo_env_sdk import answer_text, call_message, reward, tool
from grpo_env_sdk.checking.tools.rows_outside_schemas import schemas_leave_room_for_the_rows
from tests.checking.trying import found
from tests.gallery.broken.attic_forgotten import FLOORS, Lift


class ToEveryFloor(Lift):
    """Sound: the schema lists all floors."""

    @tool
    def send_lift(self, floor: Literal["cellar", "lobby", "mezzanine", "terrace", "attic"]) -> str:
        """Send the lift."""
        self.stops.append(floor)
        return "It is on its way."


class StairsToTheAttic(Lift):
    """Sound: where the lift does not go, nothing is to be sent."""

    @reward
    def is_there(self, floor_of):
        return self.stops == ([] if floor_of == "attic" else [floor_of])


class StairsAreGold(Lift):
    """Sound: nothing is sent where the lift does not go, after words for it."""

    @reward
    def is_there(self, completion, floor_of):
        if floor_of == "attic":
            return answer_text(completion) == "Take the stairs." and not self.stops
        return self.stops == [floor_of]

    def solve(self, row):
        if row["floor_of"] == "attic":
            return "Take the stairs."
        return [call_message("send_lift", floor=row["floor_of"]), "Done."]


class ByNumber(Lift):
    """Numbers of floors, up to one less than there are."""

    def build_dataset(self, tokenizer):
        return [{**row, "floor_of": FLOORS.index(row["floor_of"])} for row in super().build_dataset(tokenizer)]

    @tool
    def send_lift(self, floor: Literal[0, 1, 2, 3]) -> str:
        """Send the lift."""
        self.stops.append(floor)
        return "It is on its way."


@pytest.mark.parametrize(("cls", "given"), [(Lift, "attic"), (ByNumber, 4)])
def test_a_value_that_some_rows_need_and_the_schema_refuses_is_found(cls, given):
    (finding,) = found(schemas_leave_room_for_the_rows, cls)
    assert "On 4 of 20 rows the schema of send_lift refuses what the row needs" in finding.message
    assert finding.input == {"name": "send_lift", "arguments": {"floor": given}}


@pytest.mark.parametrize("cls", [ToEveryFloor, StairsToTheAttic, StairsAreGold])
def test_schemas_with_room_for_all_rows_are_sound(cls):
    assert found(schemas_leave_room_for_the_rows, cls) == []
