"""Results that are written directly, where gold writes what they follow from."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.written_data.overwritten_data import data_of_a_task_stay_as_they_are as data
from tests.checking.trying import found


class Recipes(ToolEnv):
    """The energy of a recipe is computed from its sugar, and may be set itself."""

    max_turns = 5
    ASK = "Recipe {}: bring its energy, which is computed from the sugar at 4 for each gram, to {}."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": self.ASK.format("ABCDEFGHIJ"[n], 4 * (12 + n)), "sugar": 12 + n, "energy": 4 * (12 + n)}
            for n in range(9)
        ]

    def setup(self, row: Any) -> None:
        self.values = {"sugar": 3, "salt": 1, "energy": 12}

    @tool
    def show_values(self) -> dict[str, int]:
        """Show the values of the recipe."""
        return self.values

    @tool
    def set_value(self, name: str, value: int) -> str:
        """Set a value of the recipe."""
        if not self.may_set(name):
            return "That is computed."
        self.values[name] = value
        if name == "sugar":
            self.values["energy"] = 4 * value
        return "Set."

    def may_set(self, name: str) -> bool:
        return name in self.values

    def scored(self, sugar: int, energy: int) -> bool:
        return self.values["energy"] == energy

    @reward
    def is_right(self, sugar: int, energy: int) -> bool:
        return self.scored(sugar, energy)

    def solve(self, row: Any) -> Any:
        return [call_message("set_value", name="sugar", value=row["sugar"]), "Done."]


class ComputedRecipes(Recipes):
    """What is computed cannot be set."""

    def may_set(self, name: str) -> bool:
        return name in ("sugar", "salt")


class RecipesBySugar(Recipes):
    """What it is computed from is scored."""

    def scored(self, sugar: int, energy: int) -> bool:
        return self.values["sugar"] == sugar


class FreeRecipes(Recipes):
    """Nothing says that one follows from the other: either of the two may be set."""

    ASK = "Recipe {}: bring its energy to {}."


def test_a_result_is_written_directly() -> None:
    (finding,) = found(data, Recipes)
    assert isinstance(finding, Finding)
    assert finding.severity == "error"
    assert "'energy'" in finding.message


@pytest.mark.parametrize("sound", [ComputedRecipes, RecipesBySugar, FreeRecipes])
def test_results_that_cannot_be_written_or_do_not_count(sound: type) -> None:
    assert not found(data, sound)
