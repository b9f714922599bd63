"""Steps in one answer are held to the rules as they are one by one."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.steps_together import steps_together_are_held_to_the_rules
from tests.checking.trying import found
from tests.gallery.broken.shelves_driven_through import WAYS, Warehouse


class CarefulWarehouse(Warehouse):
    """The robot stops at the first shelf."""

    careful = True


class OneStepEach(CarefulWarehouse):
    """Gold takes one step in each answer."""

    def solve(self, row):
        return row["way"]


class LeapsWithOneStepEach(Warehouse):
    """Gold takes one step in each answer, and several are added up."""

    def solve(self, row):
        return row["way"]


class ShelvesSkipped(Warehouse):
    """A step onto a shelf is left out, alone and among others."""

    def step(self, action):
        place = self.place
        for name in answer_text([action]).lower().split():
            there = (place[0] + WAYS[name][0], place[1] + WAYS[name][1]) if name in WAYS else place
            place = there if self.is_free(self.row["lines"], there) else place
        stays = place == self.place
        self.place = place
        there = list(place) == self.row["goal"]
        return "The robot stays." if stays else f"At {place}.", float(there), there, False, {}


class Crane(ToolEnv):
    """A tool takes a list of moves, and looks at the last place alone."""

    max_turns = 8
    reward_range = (0, 1)
    careful = False
    build_dataset, is_free, farthest = Warehouse.build_dataset, staticmethod(Warehouse.is_free), Warehouse.farthest

    def setup(self, row):
        self.place = (3, 0)

    @tool
    def drive(self, moves: list[str]) -> str:
        """Drive: north, south, east or west, one or several."""
        place = self.place
        for name in moves:
            place = (place[0] + WAYS[name][0], place[1] + WAYS[name][1])
            if self.careful and not self.is_free(self.row["lines"], place):
                break
        if not self.is_free(self.row["lines"], place):
            return "Blocked."
        self.place = place
        return "Driven."

    @reward
    def is_there(self, goal):
        return float(list(self.place) == goal)

    def solve(self, row):
        yield call_message("drive", moves=row["way"])
        yield "There."


class CarefulCrane(Crane):
    careful = True


class Bells(MultiTurnEnv):
    """Sound: bells may be rung in any order, one by one and together."""

    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        names = ("high", "low", "old")
        rows = [[names[(at * step + at) % 3] for at in range(3 + step % 3)] for step in range(8)]
        return [
            {"prompt": f"Ring {number}: each bell so often as here, {' '.join(way)}; no other is allowed.", "way": way}
            for number, way in enumerate(rows)
        ]

    def setup(self, row):
        self.rung = []

    def step(self, action):
        self.rung += answer_text([action]).split()
        done = sorted(self.rung) == sorted(self.row["way"])
        return f"{len(self.rung)} rung.", float(done), done, False, {}

    def solve(self, row):
        return [" ".join(row["way"])]


@pytest.mark.parametrize("flawed", [Warehouse, LeapsWithOneStepEach, Crane])
def test_steps_that_are_refused_one_by_one_are_found(flawed):
    (finding,) = found(steps_together_are_held_to_the_rules, flawed)
    assert "one by one" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("sound", [CarefulWarehouse, OneStepEach, ShelvesSkipped, CarefulCrane, Bells])
def test_steps_that_are_checked_one_after_another_are_let_be(sound):
    assert found(steps_together_are_held_to_the_rules, sound) == []
