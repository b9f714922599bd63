"""Changes of what the prompt says to leave as it is."""

import json
from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.too_much.rest_left_alone import the_rest_is_left_as_it_is as rest
from tests.checking.trying import found

PLANTS = ["fern", "ivy", "cactus", "orchid", "palm", "lily", "aloe", "moss", "tulip"]


class Windows(ToolEnv):
    """A plant is given away, and nobody looks at what else is."""

    max_turns = 4
    TASK = "Shelf {}: give the {} away and change nothing else."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": self.TASK.format(n, plant), "plants": json.dumps(PLANTS[n:] + PLANTS[:n]), "plant": plant}
            for n, plant in enumerate(PLANTS)
        ]

    def setup(self, row: Any) -> None:
        self.plants, self.left, self.calls = json.loads(row["plants"]), "", 0

    @tool
    def list_plants(self) -> str:
        """List the plants."""
        return "\n".join(self.plants)

    @tool
    def give_away(self, plant: str) -> str:
        """Give a plant away."""
        self.calls += 1
        if plant not in self.plants:
            return "No such plant."
        self.plants.remove(plant)
        return "Given away."

    def rest(self) -> bool:
        return True

    @reward
    def given(self, plant: str) -> bool:
        return plant not in self.plants and self.rest()

    def solve(self, row: Any) -> Any:
        return [call_message("list_plants"), call_message("give_away", plant=row["plant"]), "It is given away."]


class WatchedWindows(Windows):
    """All plants are looked at."""

    def rest(self) -> bool:
        return len(self.plants) == len(PLANTS) - 1


class FreeWindows(Windows):
    """More may be given away."""

    TASK = "Shelf {}: give the {} away, at least, and answer with one sentence and nothing else."


class SafeWindows(Windows):
    """A second plant is not given away, although the reply is the same."""

    @tool
    def give_away(self, plant: str) -> str:
        """Give a plant away."""
        self.calls += 1
        if self.calls == 1 and plant in self.plants:
            self.plants.remove(plant)
        return "Given away."


class CountingWindows(SafeWindows):
    """The list says how many calls there were."""

    @tool
    def list_plants(self) -> str:
        """List the plants."""
        return "\n".join([*self.plants, f"{self.calls} calls"])


class HandedIn(Windows):
    """What is done after handing in does not count."""

    max_turns = 5

    def setup(self, row: Any) -> None:
        super().setup(row)
        self.state: list[str] = []

    @tool
    def submit_shelf(self, note: str) -> str:
        """Hand the shelf in."""
        self.state = list(self.plants)
        return "Handed in."

    @reward
    def given(self, plant: str) -> bool:
        return sorted([*self.state, plant]) == sorted(PLANTS)

    def solve(self, row: Any) -> Any:
        *first, last = super().solve(row)
        return [*first, call_message("submit_shelf", note="done"), last]


def test_one_change_more_that_scores_as_gold_is_found() -> None:
    (finding,) = found(rest, Windows)
    assert finding.severity == "error"
    assert "give_away" in finding.message


@pytest.mark.parametrize("cls", [WatchedWindows, FreeWindows, SafeWindows, CountingWindows, HandedIn])
def test_where_the_rest_counts_or_stays_nothing_is_found(cls: type) -> None:
    assert found(rest, cls) == []
