"""Book the cheapest room with a bed for each guest; only the price is compared."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Rooms(ToolEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for number in range(40):
            prices, guests = rng.sample(range(40, 200), 6), rng.randint(2, 3)
            rooms = [
                {"id": f"R{place}", "beds": rng.randint(1, 4), "price": price} for place, price in enumerate(prices)
            ]
            fitting = [room for room in rooms if room["beds"] >= guests]
            if fitting:
                ask = f"Family {number}: book the cheapest room with beds for {guests} guests."
                best = min(fitting, key=lambda room: room["price"])
                rows.append({"prompt": ask, "rooms": rooms, "best": best["id"], "price": best["price"]})
        return rows

    def setup(self, row):
        self.booked = None

    @tool
    def free_rooms(self) -> list:
        """The rooms that are free, with their beds and prices."""
        return self.row["rooms"]

    @tool
    def book(self, room: str) -> str:
        """Book a room.

        Args:
            room: Its id.
        """
        self.booked = next((one for one in self.row["rooms"] if one["id"] == room), None)
        return "Booked." if self.booked else "There is no such room."

    @reward
    def cheap(self, price):
        return self.booked is not None and self.booked["price"] <= price

    def solve(self, row):
        return [call_message("free_rooms"), call_message("book", room=row["best"]), "Booked."]
