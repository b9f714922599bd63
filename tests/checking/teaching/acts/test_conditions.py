"""Choices that break a condition of the prompt and are as good as gold."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.conditions import conditions_of_the_prompt_count
from tests.checking.trying import found

TOWNS = ["Ulm", "Bonn", "Kiel"]


class Rooms(ToolEnv):
    """Book a room with enough beds and a lift in a town; what is asked may not be looked at."""

    looked_at = ("beds", "town", "lift")

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(2), []
        for number in range(30):
            prices = rng.sample(range(40, 200), 9)
            drawn = [(rng.randint(1, 5), rng.choice(TOWNS), rng.random() < 0.6) for _ in prices]
            rooms = [
                {"id": f"R{place}", "beds": beds, "town": town, "lift": lift, "price": price}
                for place, (price, (beds, town, lift)) in enumerate(zip(prices, drawn, strict=True))
            ]
            town, guests = rng.choice(TOWNS), rng.randint(2, 3)
            wish = {"guests": guests, "town": town}
            if best := self.fitting(rooms, wish, ("beds", "town", "lift")):
                ask = f"Family {number}: a room in {town} with a lift and a bed for each of {guests}, please."
                rows.append({"prompt": ask, "rooms": rooms, "wish": wish, "best": best[0]["id"]})
        return rows

    def fitting(self, rooms, wish, by):
        tests = {
            "beds": lambda room: room["beds"] >= wish["guests"],
            "town": lambda room: room["town"] == wish["town"],
            "lift": lambda room: room["lift"],
        }
        fit = [room for room in rooms if all(tests[name](room) for name in by)]
        return sorted(fit, key=lambda room: room["price"])

    def setup(self, row):
        self.booked = None

    @tool
    def free_rooms(self) -> list:
        """All rooms."""
        return self.row["rooms"]

    @tool
    def book(self, room: str) -> str:
        """Book a room.

        Args:
            room: Its id.
        """
        self.booked = next((one for one in self.row["rooms"] if one["id"] == room), None)
        return "Booked." if self.booked else "No such room."

    @reward
    def right(self, rooms, wish):
        return self.booked in self.fitting(rooms, wish, self.looked_at)

    def solve(self, row):
        return [call_message("free_rooms"), call_message("book", room=row["best"]), "Booked."]


class NoBeds(Rooms):
    looked_at = ("town", "lift")


class NoTown(Rooms):
    looked_at = ("beds", "lift")


class NoLift(Rooms):
    looked_at = ("beds", "town")


@pytest.mark.parametrize(("cls", "condition"), [
    (NoBeds, "beds is at least number 2 of the prompt"), (NoTown, "town is in the prompt"), (NoLift, "lift is true"),
])  # fmt: skip
def test_a_condition_that_nobody_looks_at_is_named(cls, condition):
    (finding,) = found(conditions_of_the_prompt_count, cls, "default")
    assert f"({condition})" in finding.message


def test_conditions_that_count_are_let_alone():
    assert found(conditions_of_the_prompt_count, Rooms, "default") == []


class Described(Rooms):
    """Gold reads about the room before it books it, which no score needs."""

    @tool
    def describe(self, room: str) -> str:
        """What a room is like.

        Args:
            room: Its id.
        """
        return str(next((one for one in self.row["rooms"] if one["id"] == room), "No such room."))

    def solve(self, row):
        book = call_message("book", room=row["best"])
        return [call_message("free_rooms"), call_message("describe", room=row["best"]), book, "Booked."]


def test_what_gold_only_looks_up_is_no_choice():
    assert found(conditions_of_the_prompt_count, Described, "default") == []
