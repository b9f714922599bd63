"""A depot that sends a parcel back says which depot it is for, and the next one counts."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DEPOTS = {"Basel": "south", "Hamburg": "north", "Aachen": "west", "Cottbus": "east"}
SENDERS = ("Ada", "Ben", "Cem", "Dora")


class Depots(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        asked = "{} sends a parcel to {}. Hand it to the depot north, south, west or east."
        return [
            {"prompt": asked.format(sender, town), "depot": depot}
            for town, depot in DEPOTS.items()
            for sender in SENDERS
        ]

    def setup(self, row):
        self.depot = None

    @tool
    def hand_over(self, depot: str) -> str:
        """Hand the parcel to a depot.

        Args:
            depot: Which one.
        """
        self.depot = depot
        right = self.row["depot"]
        return "Taken." if depot == right else f"The depot {depot} does not take it: bring it to the depot {right}."

    @reward
    def right(self, depot):
        return self.depot == depot

    def solve(self, row):
        yield call_message("hand_over", depot=row["depot"])
        yield "It is handed over."
