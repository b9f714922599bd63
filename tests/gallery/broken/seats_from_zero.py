"""A tool says that seats count from 1, and takes them from 0."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Seats(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(50):
            seats = random.Random(n).sample(["window", "aisle", "middle", "exit", "front"], 5)
            rows.append(
                {
                    "prompt": f"Seats of row {n}, from the first on: {', '.join(seats)}. Book the exit seat.",
                    "seats": seats,
                }
            )
        return rows

    def setup(self, row):
        self.booked = None

    @tool
    def book(self, seat: int) -> str:
        """Book a seat.

        Args:
            seat: The number of the seat, counted from 1.
        """
        self.booked = self.row["seats"][seat]
        return "booked"

    @reward
    def right(self):
        return self.booked == "exit"

    def solve(self, row):
        yield call_message("book", seat=row["seats"].index("exit"))
        yield "Done."
