"""G525 where a value of an enum is told on most rows, and the others say the same whatever is right."""

from typing import Literal

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.shown_facts import what_gold_needs_is_shown
from tests.checking.trying import found

COLOURS = ["red", "white", "yellow", "pink", "blue"]
HINTS = {"red": "As roses.", "white": "As snow.", "yellow": "As lemons.", "pink": "As pigs.", "blue": "As the sky."}
NAMES = ["Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal", "Ivo", "Jo", "Kit", "Lea", "Mia", "Ned", "Ola", "Pia"]


class Florist(ToolEnv):
    """A caller wants tulips of some colour; every fourth one says only that it is the usual one."""

    max_turns = 8
    usual = "The usual one."

    def build_dataset(self, tokenizer):
        rules = "You sell tulips. Ask for the colour and for how many (3 to 9), and order exactly that."
        return [
            {
                "prompt": [{"role": "system", "content": rules}, {"role": "user", "content": f"{name} here. Tulips!"}],
                "name": name, "colour": COLOURS[place * 2 % 5], "count": 3 + place % 7, "place": place,
            }
            for place, name in enumerate(NAMES)
        ]  # fmt: skip

    def setup(self, row):
        self.order = None

    def colour(self):
        return self.usual if self.row["place"] % 4 == 3 else f"In {self.row['colour']}."

    def user(self, messages):
        said = answer_text(messages[-1]).lower()
        if self.order:
            return None
        return " ".join([self.colour()] * ("colour" in said) + [f"{self.row['count']} of them."] * ("many" in said))

    @tool
    def order_tulips(self, colour: Literal["red", "white", "yellow", "pink", "blue"], count: int) -> str:
        """Order tulips."""
        self.order = (colour, count)
        return "Ordered."

    @reward
    def as_wished(self, colour, count):
        return self.order == (colour, count)

    def solve(self, row):
        order = call_message("order_tulips", colour=row["colour"], count=row["count"])
        return ["Which colour, and how many?", order, "Goodbye!"]


class FloristInOtherWords(Florist):
    """These rows say it in other words."""

    def colour(self):
        return HINTS[self.row["colour"]] if self.row["place"] % 4 == 3 else super().colour()


class FloristAskedAgain(Florist):
    """Who asks again is told."""

    def user(self, messages):
        asked = sum(message["role"] == "assistant" for message in messages)
        return f"{super().user(messages)} {self.row['colour']} it is." if asked > 1 else super().user(messages)


class FloristWithCards(Florist):
    """What is usual for somebody is on a card."""

    @tool
    def read_card(self, name: str) -> str:
        """Read the card of a customer."""
        return next((f"Likes {row['colour']}." for row in self.build_dataset(None) if row["name"] == name), "No card.")


class FloristOfReds(Florist):
    """The usual one is always red."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "colour": "red"} if row["place"] % 4 == 3 else row for row in rows]


class FloristWithoutCare(Florist):
    """Any colour will do for those who say nothing."""

    @reward
    def as_wished(self, colour, count, place):
        return bool(self.order) and self.order[1] == count and (place % 4 == 3 or self.order[0] == colour)


class Slips(ToolEnv):
    """A slip says in which bin a parcel belongs; some are blank."""

    def build_dataset(self, tokenizer):
        bins = ["north", "south", "east", "west"]
        text = "Read the slip of parcel {} and put the parcel into its bin."
        return [
            {"prompt": text.format(f"P{100 + place}"), "parcel": f"P{100 + place}", "bin": bins[place * 3 % 4]}
            for place in range(16)
        ]

    def setup(self, row):
        self.chosen = None

    def slip(self):
        return {"bin": self.row["bin"]} if int(self.row["parcel"][1:]) % 5 else {}

    @tool
    def read_slip(self, parcel: str) -> dict:
        """Read a slip."""
        return {"paid": True, **self.slip()}

    @tool
    def put(self, bin: Literal["north", "south", "east", "west"]) -> str:
        """Put the parcel into a bin."""
        self.chosen = bin
        return "Done."

    @reward
    def right(self, bin):
        return self.chosen == bin

    def solve(self, row):
        return [call_message("read_slip", parcel=row["parcel"]), call_message("put", bin=row["bin"]), "Done."]


class SlipsThatAreWhole(Slips):
    """All of them say it."""

    def slip(self):
        return {"bin": self.row["bin"]}


@pytest.mark.parametrize(("cls", "what"), [(Florist, "the 'colour' of order_tulips"), (Slips, "the 'bin' of put")])
def test_what_is_told_on_the_other_rows_only_is_an_error(cls, what):
    (finding,) = found(what_gold_needs_is_shown, cls, "default")
    assert finding.severity == "error"
    assert f"rows nobody tells {what}" in finding.message


@pytest.mark.parametrize(
    "cls",
    [
        FloristInOtherWords, FloristAskedAgain, FloristWithCards, FloristOfReds, FloristWithoutCare, SlipsThatAreWhole,
    ],
)  # fmt: skip
def test_nothing_is_found_where_it_can_be_known_or_does_not_matter(cls):
    assert not found(what_gold_needs_is_shown, cls, "default")
