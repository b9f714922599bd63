"""Another seat may be booked beside the right one, against the prompt."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SEATS = [f"{line}{letter}" for line in range(1, 31) for letter in "ABCD"]


class Seats(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        rng = random.Random(5)
        text = "Passenger {} wants seat {}. Book that seat, and no other seat."
        return [
            {"prompt": text.format(number, seat), "seat": seat} for number, seat in enumerate(rng.sample(SEATS, 20), 1)
        ]

    def setup(self, row):
        self.booked = []

    @tool
    def book(self, seat: str) -> str:
        """Book a seat.

        Args:
            seat: Its number and letter, such as 4C.
        """
        if seat not in SEATS:
            return "There is no such seat."
        self.booked.append(seat)
        return f"Seat {seat} is booked."

    @reward
    def right(self, seat):
        return seat in self.booked

    def solve(self, row):
        return [call_message("book", seat=row["seat"]), "It is booked."]
