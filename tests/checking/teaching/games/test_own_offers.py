"""Negotiations in which an own offer can be accepted."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.own_offers import nobody_accepts_an_own_offer as own_offers
from tests.checking.trying import found


class Flats(MultiTurnEnv):
    """A flat to rent, from a landlord who names a price of their own."""

    max_turns = 6
    refusal = "No, that is far too little."

    def build_dataset(self, tokenizer):
        told = "Flat {} is advertised for {} euros. Say BID and a number, or AGREE to take the landlord's price."
        rows = [{"asked": 600 + 40 * n, "least": 500 + 40 * n - 31 * n % 70} for n in range(14)]
        return [{"prompt": told.format(n, row["asked"]), **row} for n, row in enumerate(rows)]

    def setup(self, row):
        self.price = None

    def step(self, action):
        said = answer_text([action]).strip()
        if said == "AGREE" and self.price is not None:
            return "Agreed.", self.gain(self.price), True, False, {}
        bid = re.fullmatch(r"BID (\d{1,6})", said)
        if not bid:
            return "Bid, or agree.", 0.0, False, False, {}
        if self.row["asked"] >= int(bid[1]) >= self.row["least"]:
            return "Agreed.", self.gain(int(bid[1])), True, False, {}
        return self.refused(int(bid[1]))

    def refused(self, bid):
        self.price = bid
        return self.refusal, 0.0, False, False, {}

    def gain(self, price):
        return min(1.0, max(0.0, (self.row["asked"] - price) / (self.row["asked"] - self.row["least"])))

    def solve(self, row):
        return [f"BID {row['least']}"]


class FlatsWithAnOffer(Flats):
    """The landlord names a price, and still the last bid counts."""

    def refused(self, bid):
        self.price = bid
        return f"No, I want {self.row['asked'] - 20}.", 0.0, False, False, {}


class TheirOffer(Flats):
    """Sound: the landlord's price counts."""

    def refused(self, bid):
        self.price = self.row["asked"] - 20
        return f"No, I want {self.price}.", 0.0, False, False, {}


class NoOffer(Flats):
    """Sound: there is no price to agree to."""

    def refused(self, bid):
        return self.refusal, 0.0, False, False, {}


class LastOffer(TheirOffer):
    """Sound: the landlord's price is all that gold can have."""

    def solve(self, row):
        return ["BID 1", "AGREE"]


class Carpets(ToolEnv):
    """The same with tools: selling to a buyer who offers nothing."""

    max_turns = 6
    own_counts = True

    def build_dataset(self, tokenizer):
        rows = [{"most": 90 + 13 * n} for n in range(12)]
        return [{"prompt": f"Sell carpet {n} for as much as you can.", **row} for n, row in enumerate(rows)]

    def setup(self, row):
        self.price, self.paid = 0, 0

    @tool
    def make_offer(self, price: int) -> str:
        """Offer the carpet.

        Args:
            price: What it is to cost.
        """
        if price <= self.row["most"]:
            self.paid = price
            return "The customer pays."
        self.price = price if self.own_counts else 0
        return "The customer laughs and does not pay that."

    @tool
    def accept(self) -> str:
        """Accept what the customer offers."""
        self.paid = self.price
        return "It is sold." if self.paid else "The customer has offered nothing."

    @reward
    def gain(self, completion):
        return min(1.0, self.paid / self.row["most"])

    def solve(self, row):
        yield call_message("make_offer", price=row["most"])
        yield "It is sold."


class SoundCarpets(Carpets):
    own_counts = False


@pytest.mark.parametrize("cls", [Flats, FlatsWithAnOffer, Carpets])
def test_accepting_an_own_offer_is_found(cls):
    [finding] = found(own_offers, cls)
    assert finding.severity == "error"
    assert "can be accepted by who made it" in finding.message


@pytest.mark.parametrize("cls", [TheirOffer, NoOffer, LastOffer, SoundCarpets])
def test_accepting_what_the_other_side_offers_is_let_be(cls):
    assert found(own_offers, cls) == []
