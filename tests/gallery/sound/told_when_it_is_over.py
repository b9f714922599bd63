"""The first depot counts; afterwards the tool says which one was right."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from tests.gallery.broken.parcel_sent_back import DEPOTS, SENDERS


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
        if self.depot is None:  # an empty one counts too
            self.depot = depot
        right = self.row["depot"]
        return "Right." if depot == right else f"Wrong, it has come back: the depot {right} was right."

    @reward
    def right(self, depot):
        return self.depot == depot

    def solve(self, row):
        yield call_message("hand_over", depot=row["depot"])
        yield "It is handed over."
