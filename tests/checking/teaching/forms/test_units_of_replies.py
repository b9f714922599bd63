"""G639: the numbers that a tool replies are in the unit that it names."""

import json
from typing import Any

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.units_as_told import numbers_are_in_the_unit_that_is_told
from tests.checking.trying import found

MILES = {"north": 3.5, "lake": 7.25, "ridge": 12.0, "mill": 5.75, "forest": 9.5, "coast": 15.25, "quarry": 2.0}


class Paths(ToolEnv):
    """How long two paths are together; a tool measures one of them."""

    max_turns = 5
    factor = 1.0
    ask = "How many kilometres are the {} path and the {} path together? Answer with the number, to one digit."

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        names = list(MILES)
        pairs = [[one, other] for place, one in enumerate(names) for other in names[place + 1 :]]
        return [
            {"prompt": self.ask.format(*pair), "pair": pair, "total": round(sum(map(self.right_of, pair)), 1)}
            for pair in pairs
        ]

    def right_of(self, path: str) -> float:
        return MILES[path] * 1.609

    def told(self, path: str) -> float:
        return round(MILES[path] * 1.609, 3)

    @tool
    def measure(self, path: str) -> dict[str, Any]:
        """Measure how long a path is, in kilometres."""
        return {"length": self.told(path)}

    @reward
    def right(self, completion: Any, total: float) -> bool:
        try:
            return abs(float(answer_text(completion)) - total) < 0.15
        except ValueError:
            return False

    def solve(self, row: dict[str, Any]) -> Any:
        total = 0.0
        for path in row["pair"]:
            answered = yield call_message("measure", path=path)
            total += json.loads(answered[-1]["content"])["length"]
        yield f"{total * self.factor:.1f}"


class MilesForKilometres(Paths):
    """The tool replies miles, and gold knows it."""

    factor = 1.609

    def told(self, path: str) -> float:
        return MILES[path]


class SaidInReplies(MilesForKilometres):
    """The reply names its unit."""

    @tool
    def measure(self, path: str) -> dict[str, Any]:
        """Measure how long a path is, in kilometres or in miles."""
        return {"length": self.told(path), "unit": "miles"}


class ThereAndBackAHundredTimes(Paths):
    """Gold is a hundred times what the tool replies, as the prompt asks for it."""

    factor = 100.0
    ask = "Paths {} and {} are run 100 times. How many kilometres is that? Answer with the number, to one digit."

    def right_of(self, path: str) -> float:
        return MILES[path] * 1.609 * 100


class OtherUnitAsked(MilesForKilometres):
    """The prompt asks for another unit than that of the tool."""

    @tool
    def measure(self, path: str) -> dict[str, Any]:
        """Measure how long a path is, in miles."""
        return {"length": self.told(path)}


class EitherUnit(MilesForKilometres):
    """What the tool replies is right as well."""

    @reward
    def right(self, completion: Any, total: float) -> bool:
        said = float(answer_text(completion) or 0)
        return abs(said - total) < 0.15 or abs(said - total / 1.609) < 0.15


def test_gold_takes_the_replies_for_another_unit_than_prompt_and_tool_name():
    (finding,) = found(numbers_are_in_the_unit_that_is_told, MilesForKilometres)
    assert finding.severity == "error"
    assert "The prompt and measure name kilometres" in finding.message
    assert "as if that were miles" in finding.message


def test_numbers_of_the_named_unit_are_not_accused():
    for cls in (Paths, SaidInReplies, ThereAndBackAHundredTimes, OtherUnitAsked, EitherUnit):
        assert found(numbers_are_in_the_unit_that_is_told, cls) == [], cls
