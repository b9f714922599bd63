"""Only the first call is read, so whoever asks what time it is before gets nothing."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Timers(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        foods = ("rice", "eggs", "pasta", "tea")
        return [
            {"prompt": f"Set a timer of {minutes} minutes for the {food}.", "food": food, "minutes": minutes}
            for food in foods for minutes in (3, 8, 11)
        ]  # fmt: skip

    @tool
    def clock(self) -> str:
        """The time of the day."""
        return "It is 18:20."

    @tool
    def set_timer(self, food: str, minutes: int) -> str:
        """Set a timer.

        Args:
            food: For what.
            minutes: How long.
        """
        return f"{minutes} minutes for {food}."

    @reward
    def right(self, tool_calls, food, minutes):
        first = tool_calls[0] if tool_calls else {"name": ""}
        return first["name"] == "set_timer" and first["arguments"] == {"food": food, "minutes": minutes}

    def solve(self, row):
        yield call_message("set_timer", food=row["food"], minutes=row["minutes"])
        yield "It is set."
