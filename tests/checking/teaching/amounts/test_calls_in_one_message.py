"""Calls that cost something one by one and nothing in one message are found, and honest counts are not accused."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found

TRAYS = ["amber", "bone", "clay", "dust", "ember", "flint", "glass", "horn", "iron", "jade"]


class Cabinet(ToolEnv):
    """Which drawer of a cabinet holds a find?"""

    max_turns = 12
    prices = "The first drawer that you pull is free, and each further drawer costs 0.2."
    free, price = 1, 0.2

    def build_dataset(self, tokenizer):
        text = "The finds are in the drawers 20 to 29. Who found the piece of {}? Answer with the name. {}"
        return [
            {"prompt": text.format(tray, self.prices), "drawer": 20 + place * 3 % 10, "finder": f"Dr {tray.title()}"}
            for place, tray in enumerate(TRAYS)
        ]

    def setup(self, row):
        self.pulled, self.counted = 0, -1

    def count(self):
        if self.turns != self.counted:
            self.pulled, self.counted = self.pulled + 1, self.turns

    @tool
    def pull_drawer(self, number: int) -> str:
        """Pull a drawer and read its label."""
        self.count()
        held = next((tray for place, tray in enumerate(TRAYS) if 20 + place * 3 % 10 == number), None)
        return f"A piece of {held}, found by Dr {held.title()}." if held else "Empty."

    @reward
    def named(self, completion, finder):
        if answer_text(completion).strip() != finder:
            return 0.0
        return max(0.0, 1 - self.price * max(0, self.pulled - self.free))

    def solve(self, row):
        yield call_message("pull_drawer", number=row["drawer"])
        yield row["finder"]


class LimitedCabinet(Cabinet):
    prices, free, price = "You may pull at most three drawers, or nothing is paid.", 3, 1.0


class CabinetThatCountsCalls(Cabinet):
    def count(self):
        self.pulled += 1


class LimitedCabinetThatCountsCalls(LimitedCabinet, CabinetThatCountsCalls):
    pass


class CabinetByMessage(Cabinet):
    """What costs is the message, as it says."""

    prices = "Each message with which you pull drawers costs 0.2, except for the first."


class CabinetOfSeveral(Cabinet):
    prices = (
        "The first pull is free, each further costs 0.2; drawers that are pulled at the same time count as one pull."
    )


class HurriedCabinet(Cabinet):
    """There is a limit that nobody reaches, and messages cost something that nobody speaks of."""

    prices = "You may pull at most eight drawers."


@pytest.mark.parametrize("cls", [Cabinet, LimitedCabinet])
def test_calls_that_are_counted_by_message_are_found(cls):
    (finding,) = found(more_acts_than_allowed_are_not_gold, cls)
    assert "more calls of pull_drawer in the message" in finding.message


@pytest.mark.parametrize(
    "cls",
    [CabinetThatCountsCalls, LimitedCabinetThatCountsCalls, CabinetByMessage, CabinetOfSeveral, HurriedCabinet],
)
def test_calls_that_are_counted_as_it_says_are_not_accused(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls)
