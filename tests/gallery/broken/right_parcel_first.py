"""Parcels in a depot; the parcel that a row is about is always the first of the list."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TOWNS = ["Lisbon", "Riga", "Athens", "Vienna", "Oslo", "Cork"]


class Depot(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for number in range(30):
            shelf = number % 5 + 1
            parcels = [
                {"id": f"{rng.choice('BCDF')}{rng.randint(100, 999)}", "to": town, "kilos": rng.randint(1, 30)}
                for town in rng.sample(TOWNS, 5)
            ]
            wanted = parcels[0]
            prompt = f"Order {number}: send the parcel for {wanted['to']} from shelf {shelf}. Send no other."
            rows.append({"prompt": prompt, "parcels": parcels, "wanted": wanted["id"], "shelf": shelf})
        return rows

    def setup(self, row):
        self.sent = []

    @tool
    def look(self, shelf: int) -> list[dict]:
        """What is on a shelf.

        Args:
            shelf: Its number.
        """
        return self.row["parcels"] if shelf == self.row["shelf"] else []

    @tool
    def send(self, parcel: str) -> str:
        """Send a parcel.

        Args:
            parcel: Its id.
        """
        self.sent.append(parcel)
        return f"{parcel} is on its way."

    @reward
    def right(self, wanted):
        return self.sent == [wanted]

    def solve(self, row):
        yield call_message("look", shelf=row["shelf"])
        yield call_message("send", parcel=row["wanted"])
        yield "Sent."
