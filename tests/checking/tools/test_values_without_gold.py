"""Parameters and enum values where no gold shows what is right: what was never really tried is not accused."""

import random
from typing import Literal

import pytest

from grpo_env_sdk import ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from grpo_env_sdk.checking.tools.refusing import every_listed_value_is_accepted
from tests.checking.trying import found

TOWNS = ("Lugano", "Sion", "Thun", "Wil")


class Markets(ToolEnv):
    """Which stall sells the cheapest; the drawn words are hardly ever a town, and each look finds nothing then."""

    max_turns = 4
    reads_day = True

    def build_dataset(self, tokenizer):
        rng = random.Random(4)
        return [
            {"prompt": f"Case {n}. Which stall of the market in {rng.choice(TOWNS)} is the cheapest?", "stall": f"s{n}"}
            for n in range(24)
        ]

    def setup(self, row):
        self.stalls = {town: [{"stall": row["stall"], "price": len(town)}] for town in TOWNS}

    @tool
    def list_stalls(self, town: str, most: int = 10) -> dict:
        """List the stalls of a town.

        Args:
            town: Its name.
            most: At most how many.
        """
        if most > 50:
            return {"error": "at most 50"}
        return {"stalls": self.stalls.get(town, []), "most": most}

    @reward
    def right(self, completion, stall):
        return answer_text(completion) == stall


class Orders(ToolEnv):
    """An order counts as a whole, so that a single value is worth nothing by itself."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Send {n % 3 + 1} boxes of {'tea' if n % 2 else 'salt'} to {TOWNS[n % 4]}.",
             "wanted": [str(n % 3 + 1), "tea" if n % 2 else "salt", TOWNS[n % 4]]}
            for n in range(24)
        ]  # fmt: skip

    def setup(self, row):
        self.sent = []

    @tool
    def send(self, boxes: int, ware: str, town: str) -> str:
        """Send boxes.

        Args:
            boxes: How many.
            ware: Of what.
            town: Where to.
        """
        if boxes < 1:
            return "At least one box, please."
        self.sent.append([str(boxes), ware, town])
        return f"Shipment {boxes} has left."

    @reward
    def as_wanted(self, wanted):
        return [list(one) for one in self.sent] == [wanted[:]] and len(wanted) > 9  # nothing that is drawn is right


class Rates(ToolEnv):
    """The rate of a day, for which the tool does not look."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The rate of {code} on day {n}?", "code": code, "day": n}
                for n in range(1, 9) for code in ("CHF", "SEK", "NOK")]  # fmt: skip

    @tool
    def get_rate(self, code: str, day: int) -> str:
        """The rate of a currency.

        Args:
            code: The currency.
            day: Of which day.
        """
        rates = {"CHF": "0.94", "SEK": "11.2", "NOK": "11.8"}
        return f"{rates[code]} for one euro" if code in rates else "error: unknown code"

    @reward
    def right(self, completion, code, day):
        return answer_text(completion) == f"{code}{day}"


@pytest.mark.parametrize("cls", [Markets, Orders])
def test_what_found_or_earned_nothing_has_not_been_tried(cls):
    assert found(every_parameter_matters, cls) == []


def test_a_look_that_finds_the_same_for_each_value_that_exists_is_named():
    (finding,) = found(every_parameter_matters, Rates)
    assert "get_rate ignores 'day'" in finding.message


class Cabins(ToolEnv):
    """The code calls a suite a salon, and says that it is taken; no call works with a town that it does not know."""

    max_turns = 4
    known = ("single", "double", "salon")
    taken = "Sorry, the {} cabins to {} are sold out."

    def build_dataset(self, tokenizer):
        kinds = ("single", "double", "suite")
        return [
            {"prompt": f"A {kinds[n % 3]} cabin to {TOWNS[n % 4]}, please, for {n % 5 + 1}.",
             "booking": [TOWNS[n % 4], str(n % 5 + 1), kinds[n % 3]]}
            for n in range(30)
        ]  # fmt: skip

    def setup(self, row):
        self.booked = []

    @tool
    def book(self, town: str, guests: int, cabin: Literal["single", "double", "suite"]) -> str:
        """Book a cabin.

        Args:
            town: Where to.
            guests: For how many.
            cabin: Which one.
        """
        if town not in TOWNS:
            return f"No ship goes to {town}."
        if cabin not in self.known:
            return self.taken.format(cabin, town)
        self.booked.append([town, str(guests), cabin])
        return f"Booked: number {len(self.booked)}."

    @reward
    def as_asked(self, booking):
        return self.booked == [list(booking)]


class CabinsOfThisYear(Cabins):
    known = ("single", "double", "suite")


class Doors(ToolEnv):
    """What is closed cannot be closed: the value is refused at first, and not after another one."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Door {n}.", "act": ("close", "open")[n % 2], "n": n} for n in range(20)]

    def setup(self, row):
        self.state = "close"
        self.count = 0

    @tool
    def set_door(self, n: int, act: Literal["open", "close"]) -> str:
        """Open or close a door.

        Args:
            n: Its number.
            act: What to do.
        """
        if self.state == act:
            return "It is not possible now."
        self.state, self.count = act, self.count + 1
        return "The hinge creaks."

    @reward
    def right(self, act):
        return self.state == act and self.count > 0


class Valves(Cabins):
    """The same in other words, in JSON."""

    taken = "Cannot reserve: {} to {} is unavailable"


@pytest.mark.parametrize("cls", [Cabins, Valves])
def test_a_value_that_rows_ask_for_and_no_call_gets_is_an_error(cls):
    (finding,) = found(every_listed_value_is_accepted, cls)
    assert "cabin='suite'" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [CabinsOfThisYear, Doors])
def test_a_value_that_is_carried_out_on_some_row_or_later_is_let_be(cls):
    assert found(every_listed_value_is_accepted, cls) == []
