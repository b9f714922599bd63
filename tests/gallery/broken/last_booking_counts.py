"""Two seats are to be booked, and only the last booking is looked at."""

import random
import re

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Seats(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(7), []
        for number in range(30):
            seats = [f"{rng.randint(1, 40)}{letter}" for letter in rng.sample("ABCDEF", 2)]
            rows.append(
                {"prompt": f"Book the seats {seats[0]} and {seats[1]} of flight {number + 500}.", "seats": seats}
            )
        return rows

    def setup(self, row):
        self.booked = []

    @tool
    def book(self, seat: str) -> str:
        """Book a seat.

        Args:
            seat: Its row and letter.
        """
        if not re.fullmatch(r"\d{1,2}[A-F]", seat):
            return f"There is no seat {seat}."
        self.booked.append(seat)
        return f"Seat {seat} is booked."

    @reward
    def both(self, seats):
        return self.booked[-1:] == seats[-1:]

    def solve(self, row):
        for seat in row["seats"]:
            yield call_message("book", seat=seat)
        yield "Both are booked."
