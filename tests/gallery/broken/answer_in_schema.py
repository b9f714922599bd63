"""Find the one hour that is free in two calendars, and book it."""

import copy

from grpo_env_sdk import ToolEnv, call_message, reward, tool

HOURS = ("9", "10", "11", "13", "14", "15", "16")


class Meeting(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Case {10 * n + k}: find the hour that suits both Ana and Bo, and book it.",
                "ana": sorted([HOURS[n], HOURS[(n + k) % 7]]),
                "bo": sorted([HOURS[n], HOURS[(n - k) % 7]]),
            }
            for n in range(7)
            for k in (1, 2, 3)
        ]

    def setup(self, row):
        self.booked = []

    def get_tools(self):
        """The schemas, with the hours that can be booked in them."""
        tools = copy.deepcopy(super().get_tools())
        if self.row:
            free = [hour for hour in self.row["ana"] if hour in self.row["bo"]]
            tools[0]["function"]["parameters"]["properties"]["hour"]["enum"] = free
        return tools

    @tool
    def book(self, hour: str) -> str:
        """Book an hour for both.

        Args:
            hour: The hour, such as 14.
        """
        self.booked.append(hour)
        return "Booked."

    @tool
    def free_hours(self, name: str) -> list[str]:
        """When somebody is free.

        Args:
            name: Ana or Bo.
        """
        return self.row.get(name.lower(), []) if name in ("Ana", "Bo") else []

    @reward
    def right(self, ana, bo):
        return self.booked == [hour for hour in ana if hour in bo]

    def solve(self, row):
        yield call_message("free_hours", name="Ana")
        yield call_message("free_hours", name="Bo")
        yield call_message("book", hour=next(hour for hour in row["ana"] if hour in row["bo"]))
        yield "Done."
