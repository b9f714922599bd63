"""Environments without solve in which a call takes what another one showed."""

import random

from grpo_env_sdk import ToolEnv, reward, tool

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn")
WISHES = ("a blue lamp", "two chairs", "a long rope", "some green paint", "a small saw")


class Parcels(ToolEnv):
    """Send something to a shelf that has to be looked up; the score compares all calls with one path."""

    max_turns = 6
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(11)
        rows = [(rng.choice(PEOPLE), rng.choice(WISHES), rng.randrange(10**6)) for _ in range(20)]
        return [
            {"prompt": f"Send {wish} to the shelf of {who}.", "who": who, "wish": wish, "salt": salt}
            for who, wish, salt in rows
        ]

    def setup(self, row):
        rng = random.Random(row["salt"])
        self.shelves = {name: {"shelf": f"S-{rng.randint(100, 999)}"} for name in PEOPLE}

    @tool
    def find_shelf(self, name: str) -> dict[str, str]:
        """Where somebody's things are."""
        return self.shelves.get(name, {"error": "nobody of that name"})

    @tool
    def send(self, shelf: str, wish: str) -> str:
        """Send something."""
        return "Sent."

    @reward
    def arrived(self, tool_calls, who, wish):
        calls = [(call["name"], call["arguments"]) for call in tool_calls]
        sent = ("send", {"shelf": self.shelves[who]["shelf"], "wish": wish})
        return sent in calls if self.right else calls == [("find_shelf", {"name": who}), sent]


class Rooms(ToolEnv):
    """Book the cheapest room of a list that is shown from 1 on; the tool counts from 0."""

    max_turns = 4
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(12)
        towns = [f"{first}{last}" for first in ("Nor", "Sud", "Ost", "Wes", "Alt") for last in ("burg", "dorf", "feld")]
        return [
            {"prompt": f"Book the cheapest room in {town}.", "town": town, "prices": rng.sample(range(40, 99), 4)}
            for town in towns
        ]

    def setup(self, row):
        self.booked = None

    @tool
    def search(self, town: str) -> str:
        """List the rooms of a town."""
        if town != self.row["town"]:
            return "No rooms found."
        return "\n".join(f"{place}. {price} euros" for place, price in enumerate(self.row["prices"], 1))

    @tool
    def book(self, number: int) -> str:
        """Book a room.

        Args:
            number: The number of the room in the list.
        """
        self.booked = number - 1 if self.right else number
        return "Booked."

    @reward
    def cheapest(self, prices):
        return self.booked == prices.index(min(prices))
