"""The caller names the hour of a pickup, and never whether it is before noon; gold knows it."""

from typing import ClassVar

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Pickups(ToolEnv):
    max_turns = 5
    CALLERS: ClassVar = {"Nora": 6, "Omar": 18, "Pia": 9, "Quin": 21, "Rosa": 10, "Sami": 22, "Tove": 7, "Umut": 19}

    def build_dataset(self, tokenizer):
        rules = "You send taxis. Ask callers at which hour (0 to 23) they want to be picked up, and book it once."
        return [
            {
                "prompt": [
                    {"role": "system", "content": rules},
                    {"role": "user", "content": f"This is {name}. Could I have a taxi tomorrow?"},
                ],
                "hour": hour,
            }
            for name, hour in self.CALLERS.items()
        ]

    def setup(self, row):
        self.booked = []

    def user(self, messages):
        return None if self.booked else self.said(self.row["hour"])

    def said(self, hour):
        return f"{hour % 12} would be good."

    @tool
    def book(self, hour: int) -> str:
        """Book a taxi.

        Args:
            hour: The hour of the pickup.
        """
        self.booked.append(hour)
        return "Booked."

    @reward
    def right(self, hour):
        return self.booked == [hour]

    def solve(self, row):
        return ["At which hour?", call_message("book", hour=row["hour"]), "It will be there."]
