"""A tool replies with the whole record of what is looked up, and with nothing to anybody else's."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DESKS = ("north", "south", "tower", "harbour", "garden")


class Luggage(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        r = random.Random(8)
        return [
            {
                "prompt": f"Passenger P{n} wants to know at which desk the bag is. Only the desk.",
                "passenger": f"P{n}", "tag": f"T{r.randrange(1000, 9999)}", "desk": r.choice(DESKS),
            }
            for n in range(30)
        ]  # fmt: skip

    @tool
    def bags(self, passenger: str) -> dict:
        """The tag and the desk of a passenger's bag.

        Args:
            passenger: The passenger, such as P3.
        """
        if passenger != self.row["passenger"]:
            return {"error": "No such passenger."}
        return {"tag": self.row["tag"], "desk": self.row["desk"]}

    @tool
    def opening_hours(self, desk: str) -> str:
        """When a desk is open.

        Args:
            desk: Its name.
        """
        return "6 to 23" if desk in DESKS else "No such desk."

    @reward
    def right(self, messages, tool_calls, passenger, desk):
        looked = any(call["arguments"] == {"passenger": passenger} for call in tool_calls)
        return looked and messages[-1]["content"].strip() == desk

    def solve(self, row):
        yield call_message("bags", passenger=row["passenger"])
        yield row["desk"]
