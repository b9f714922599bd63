"""The right item of a list that a tool gives has to be anywhere in it, unless the order of the list means something."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.tools.first_listed import the_right_item_has_no_place_of_its_own
from tests.checking.trying import found


class Depot(ToolEnv):
    """Send the parcel for a town; `self.listed` orders what the tool lists."""

    max_turns = 4
    asks = "Send the parcel for {} from shelf {}."

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for number in range(24):
            parcels = [
                {"id": f"{rng.choice('BCDF')}{rng.randint(100, 999)}", "to": town, "kilos": rng.randint(1, 90)}
                for town in rng.sample(["Lisbon", "Riga", "Athens", "Vienna", "Oslo", "Cork"], 5)
            ]
            rows.append(
                {"prompt": self.asks.format(parcels[0]["to"], number), "parcels": self.listed(parcels, rng),
                 "wanted": parcels[0]["id"], "shelf": number}
            )  # fmt: skip
        return rows

    def listed(self, parcels, rng):
        return parcels

    def setup(self, row):
        self.sent = []

    @tool
    def look(self, shelf: int) -> list[dict]:
        """What stands on a shelf."""
        return self.row["parcels"] if shelf == self.row["shelf"] else []

    @tool
    def send(self, parcel: str) -> str:
        """Send a parcel."""
        self.sent.append(parcel)
        return "It is on its way."

    @reward
    def right(self, wanted):
        return self.sent == [wanted]

    def solve(self, row):
        yield call_message("look", shelf=row["shelf"])
        yield call_message("send", parcel=row["wanted"])
        yield "Sent."


class BestIsAsked(Depot):
    """A prompt that asks for the best gives the order of a list no meaning."""

    asks = "Send the parcel for {} from shelf {} in the best way."


class AlwaysLast(Depot):
    def listed(self, parcels, rng):
        return parcels[::-1]


class InLines(Depot):
    """The list is text."""

    @tool
    def look(self, shelf: int) -> str:
        """What stands on a shelf."""
        lines = [f"{one['kilos']} kilos to {one['to']}: {one['id']}" for one in self.row["parcels"]]
        return "\n".join(lines) if shelf == self.row["shelf"] else "Nothing."


class Shuffled(Depot):
    def listed(self, parcels, rng):
        return rng.sample(parcels, len(parcels))


class Heaviest(Depot):
    """Sorted by weight, where the heaviest is to be sent."""

    def listed(self, parcels, rng):
        weights = sorted((one["kilos"] for one in parcels), reverse=True)
        return [one | {"kilos": weight} for one, weight in zip(parcels, weights, strict=True)]


class AskedForTheFirst(Depot):
    asks = "Send the first parcel for {} from shelf {}."


class Ranked(Depot):
    @tool
    def look(self, shelf: int) -> list[dict]:
        """What stands on a shelf, the best match first."""
        return self.row["parcels"] if shelf == self.row["shelf"] else []


class Searched(Depot):
    """What fits the words best comes first."""

    @tool
    def search(self, query: str) -> list[dict]:
        """Look for parcels."""
        return self.row["parcels"]

    def solve(self, row):
        yield call_message("search", query=row["prompt"])
        yield call_message("send", parcel=row["wanted"])
        yield "Sent."


class FewRows(Depot):
    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer)[:7]


@pytest.mark.parametrize(
    ("cls", "place"),
    [(Depot, "the first"), (BestIsAsked, "the first"), (AlwaysLast, "the last"), (InLines, "the first")],
)
def test_a_right_item_that_stands_at_one_end_of_every_list_is_found(cls, place):
    (finding,) = found(the_right_item_has_no_place_of_its_own, cls)
    assert f"What gold gives to send.parcel is always {place} that look lists, on 24 rows" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Shuffled, Heaviest, AskedForTheFirst, Ranked, Searched, FewRows])
def test_an_order_that_means_something_or_few_rows_are_no_finding(cls):
    assert found(the_right_item_has_no_place_of_its_own, cls) == []
