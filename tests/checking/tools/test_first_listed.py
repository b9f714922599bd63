"""The right item of a list that a tool gives has to be anywhere in it, unless the order of the list means something."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.tools.first_listed import the_right_item_has_no_place_of_its_own
from tests.checking.trying import found
from tests.gallery.broken.right_parcel_first import Depot as FirstParcel


class Depot(FirstParcel):
    """`listed` orders what the tool lists, `asks` is put in the place of "the parcel" in a prompt."""

    asks = "the parcel"

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        return [
            row
            | {"prompt": row["prompt"].replace("the parcel", self.asks), "parcels": self.listed(row["parcels"], rng)}
            for row in super().build_dataset(tokenizer)[:24]
        ]

    def listed(self, parcels, rng):
        return parcels


class BestIsAsked(Depot):
    """A prompt that asks for the best gives the order of a list no meaning."""

    asks = "in the best way the parcel"


class AlwaysLast(Depot):
    def listed(self, parcels, rng):
        return parcels[::-1]


class InLines(Depot):
    """The list is text."""

    @tool
    def look(self, shelf: int) -> str:
        """What is on a shelf."""
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
    asks = "the first parcel"


class Ranked(Depot):
    @tool
    def look(self, shelf: int) -> list[dict]:
        """What is on a shelf, the best match first."""
        return self.row["parcels"] if shelf == self.row["shelf"] else []


class Searched(Shuffled):
    """What fits the words best comes first, and nothing where nothing fits."""

    @tool
    def search(self, query: str) -> list[dict]:
        """Look for parcels."""
        fits = {one["id"]: sum(str(part) in query.split() for part in one.values()) for one in self.row["parcels"]}
        return sorted((one for one in self.row["parcels"] if fits[one["id"]]), key=lambda one: -fits[one["id"]])

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
    (finding,) = found(the_right_item_has_no_place_of_its_own, cls, "default")
    assert f"What gold gives to send.parcel is always {place} that look lists, on 24 rows" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Shuffled, Heaviest, AskedForTheFirst, Ranked, Searched, FewRows])
def test_an_order_that_means_something_or_few_rows_are_no_finding(cls):
    assert found(the_right_item_has_no_place_of_its_own, cls, "default") == []


CRATES = ("ash", "birch", "cedar", "elm", "fir", "larch", "maple", "oak", "pine", "willow")


class Leaks(ToolEnv):
    """One crate of a truck leaks, which is known from looking at each; it stands at one place of the list."""

    max_turns = 8
    place = 4
    said = "A crate of truck {} drips. Which one? Look at the crates, and answer with the name of the crate alone."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            crates = random.Random(number).sample(CRATES, 5)
            rows.append({"prompt": self.said.format(f"T{number}"), "truck": f"T{number}", "crates": crates})
        return [row | {"leak": self.leaking(row["crates"])} for row in rows]

    def leaking(self, crates):
        return crates[self.place]

    @tool
    def crates(self, truck: str) -> list[str]:
        """List the crates of a truck.

        Args:
            truck: Its number.
        """
        return self.listed(self.row) if truck == self.row["truck"] else []

    def listed(self, row):
        return row["crates"]

    @tool
    def look_at(self, crate: str) -> str:
        """Look at a crate.

        Args:
            crate: Its name.
        """
        return "It drips." if crate == self.row["leak"] else "It is dry."

    @reward
    def right(self, completion, leak):
        return answer_text(completion).strip() == leak

    def solve(self, row):
        return row["leak"]


class SecondLeaks(Leaks):
    place = 1


class AnyLeaks(Leaks):
    def leaking(self, crates):
        return random.Random(repr(crates)).choice(crates)


class InOrderOfNames(Leaks):
    """Sound: the first by name drips, and the lists are in the order of names."""

    def leaking(self, crates):
        return min(crates)

    def listed(self, row):
        return sorted(row["crates"])


class LastIsAsked(Leaks):
    said = "Which crate of truck {} was put on last? Answer with its name alone."


class InOrderOfTime(Leaks):
    said = "In which crate of truck {} is the parcel now? Answer with its name alone."


class SentBack(ToolEnv):
    """The crate is the argument of an act, there is no solve, and a prompt that says `at most` asks for no order."""

    max_turns = 8
    place = 0
    said = "One of at most nine crates of truck {} drips. Look at them, send this one back, and say Done."
    build_dataset, crates, look_at = Leaks.build_dataset, Leaks.crates, Leaks.look_at
    leaking, listed = Leaks.leaking, Leaks.listed

    def setup(self, row):
        self.sent = []

    @tool
    def send(self, crate: str) -> str:
        """Send a crate back.

        Args:
            crate: Its name.
        """
        self.sent.append(crate)
        return "Sent."

    @reward
    def right(self, leak):
        return self.sent == [leak]


class AnySentBack(SentBack):
    leaking = AnyLeaks.leaking


class SentBackInOrder(SentBack):
    leaking, listed = InOrderOfNames.leaking, InOrderOfNames.listed


class Fields(Leaks):
    """Sound: what is listed are the parts of a record, of which one is asked for."""

    said = "Which wood is truck {} made of? Look it up, and answer with its name alone."
    place = 2

    def listed(self, row):
        return [f"owner {row['truck']}", "Rome", row["leak"], "green", "diesel"]


@pytest.mark.parametrize(("cls", "place"), [(Leaks, "the last"), (SecondLeaks, "the second")])
def test_an_answer_that_stands_at_one_place_of_every_list_is_found(cls, place):
    (finding,) = found(the_right_item_has_no_place_of_its_own, cls, "default")
    assert f"What gold answers is always {place} that crates lists" in finding.message
    assert finding.severity == "error"


def test_what_an_act_takes_from_one_place_of_every_list_is_found_without_a_solve():
    (finding,) = found(the_right_item_has_no_place_of_its_own, SentBack, "default")
    assert "What gold gives to send.crate is always the first that crates lists" in finding.message


@pytest.mark.parametrize(
    "cls", [AnyLeaks, InOrderOfNames, LastIsAsked, InOrderOfTime, Fields, AnySentBack, SentBackInOrder]
)
def test_answers_at_any_place_or_in_an_order_that_means_something_are_no_finding(cls):
    assert found(the_right_item_has_no_place_of_its_own, cls, "default") == []
