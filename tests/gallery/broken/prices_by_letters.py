"""The cheapest offer is the least of prices that are texts, so that 98 costs more than 105."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


def offers_of(seed):
    """Four offers with different prices."""
    rng = random.Random(seed)
    prices = rng.sample(range(70, 130), 4)
    return [{"flight": f"K{rng.randrange(100, 999)}", "price": f"{price}"} for price in prices]


class Flights(ToolEnv):
    max_turns = 4
    value = str

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Book the cheapest flight to city {seed}.", "seed": seed,
             "flight": min(offers_of(seed), key=lambda offer: self.value(offer["price"]))["flight"]}
            for seed in range(20)
        ]  # fmt: skip

    def setup(self, row):
        self.booked = None

    @tool
    def search(self) -> list[dict[str, str]]:
        """The flights to this city, with their prices."""
        return offers_of(self.row["seed"])

    @tool
    def book(self, flight: str) -> str:
        """Book a flight.

        Args:
            flight: Its number.
        """
        self.booked = self.booked or flight
        return "Booked."

    @reward
    def right(self, flight):
        return self.booked == flight

    def solve(self, row):
        return [call_message("search"), call_message("book", flight=row["flight"]), "Booked."]
