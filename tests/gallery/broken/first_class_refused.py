"""Flights; the schema lists a class that the code does not know, and the error does not name it."""

from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FARES = {"economy": 1, "business": 3, "premium": 5}
PRICES = {"Lisbon": 140, "Riga": 160, "Athens": 120, "Vienna": 95, "Oslo": 190, "Cork": 130}


class Flights(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Book a flight to {city} in {cabin}.", "city": city, "cabin": cabin}
            for city in PRICES
            for cabin in ("economy", "business")
        ]

    def setup(self, row):
        self.booked = []

    @tool
    def book(self, city: str, cabin: Literal["economy", "business", "first"]) -> str:
        """Book a seat.

        Args:
            city: Where to.
            cabin: The class.
        """
        if city not in PRICES:
            return "There is no such flight."
        if cabin not in FARES:
            return "Error: unknown fare class."
        self.booked.append((city, cabin))
        return f"Booked for {PRICES[city] * FARES[cabin]} euro."

    @reward
    def right(self, city, cabin):
        return self.booked == [(city, cabin)]

    def solve(self, row):
        yield call_message("book", city=row["city"], cabin=row["cabin"])
        yield "It is booked."
