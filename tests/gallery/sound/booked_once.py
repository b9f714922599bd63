"""A second booking is another booking, although the reply to it is the same."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FARES = {"Lisbon": 140, "Riga": 160, "Athens": 120, "Vienna": 95, "Oslo": 190, "Cork": 130}


class Flights(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Book {who} on a flight to {city}.", "city": city, "who": who}
            for city in FARES
            for who in ("Ada", "Linus", "Grace")
        ]

    def setup(self, row):
        self.booked = []

    @tool
    def book_flight(self, city: str, passenger: str) -> str:
        """Book a flight.

        Args:
            city: Where to.
            passenger: Who flies.
        """
        if city not in FARES:
            return f"There is no flight to {city}."
        self.booked.append((city, passenger))
        return f"Booked for {FARES[city]} euro."

    @reward
    def right(self, city, who):
        return self.booked == [(city, who)]

    def solve(self, row):
        yield call_message("book_flight", city=row["city"], passenger=row["who"])
        yield "It is booked."
