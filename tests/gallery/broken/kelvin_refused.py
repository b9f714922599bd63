"""Temperatures of stations; the schema lists kelvin, which the tool does not know."""

from typing import Literal

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Stations(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"How warm is it at station {n}, in {unit}? Only the number.", "station": n, "unit": unit}
            for n in range(5, 35)
            for unit in ("celsius", "fahrenheit")
        ]

    def measured(self, station, unit):
        celsius = station * 7919 % 41 - 10
        return celsius if unit == "celsius" else celsius * 9 // 5 + 32

    @tool
    def temperature(self, station: int, unit: Literal["celsius", "fahrenheit", "kelvin"]) -> str:
        """The temperature at a station.

        Args:
            station: Its number.
            unit: The unit of the result.
        """
        if unit not in ("celsius", "fahrenheit"):
            return f"Unknown unit {unit}."
        return str(self.measured(station, unit))

    @reward
    def right(self, completion, station, unit):
        return answer_text(completion).strip() == str(self.measured(station, unit))

    def solve(self, row):
        answered = yield call_message("temperature", station=row["station"], unit=row["unit"])
        yield answered[-1]["content"]
