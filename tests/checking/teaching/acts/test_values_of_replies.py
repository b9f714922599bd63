"""Every value that a reply lists, where one is asked for, and less than nothing of one thing to pay for another."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import (
    absurd_numbers_are_not_gold,
    trying_every_value_is_not_gold,
)
from tests.checking.trying import found

NAMES = ["Amati", "Bruch", "Carmen", "Delius", "Elgar"]


class Cellos(ToolEnv):
    """Lend the one cello that fits."""

    max_turns = 9
    asks = "Pupil {}: lend the cheapest cello of size {}. Lend just that one, and say when it is done."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(16):
            rng = random.Random(number)
            cellos = [
                {"cello": name, "size": rng.choice(["1/2", "3/4"]), "rent": rent}
                for name, rent in zip(rng.sample(NAMES, 4), rng.sample(range(20, 60), 4), strict=True)
            ]
            size = rng.choice(cellos)["size"]
            wanted = min((one for one in cellos if one["size"] == size), key=lambda one: one["rent"])["cello"]
            rows.append({"prompt": self.asks.format(number + 1, size), "cellos": cellos, "wanted": wanted})
        return rows

    def setup(self, row):
        self.lent = []

    @tool
    def show_cellos(self) -> list[dict]:
        """Show the cellos."""
        return self.row["cellos"]

    @tool
    def lend(self, cello: str) -> str:
        """Lend a cello."""
        if cello not in [one["cello"] for one in self.row["cellos"]]:
            return "There is none of that name."
        self.lent.append(cello)
        return f"{cello} is lent."

    @reward
    def is_right(self, wanted):
        return wanted in self.lent

    def solve(self, row):
        yield call_message("show_cellos")
        yield call_message("lend", cello=row["wanted"])
        yield f"{row['wanted']} is yours."


class OneOnly(Cellos):
    """All that is lent is compared."""

    @reward
    def is_right(self, wanted):
        return self.lent == [wanted]


class TheLastCounts(Cellos):
    """A later loan takes the place of the one before."""

    @reward
    def is_right(self, wanted):
        return self.lent[-1:] == [wanted]


class Lamps(Cellos):
    """Switch off what is on: the others are off already."""

    asks = "House {}: in one room of size {} the lamp is on. Just one is on. Lend a hand and switch it off."


class Glasses(ToolEnv):
    """Sound: any glass may be washed, and the one that is served is chosen afterwards."""

    max_turns = 6
    glasses = ("flute", "goblet", "mug", "tumbler", "stein")

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Guest {n} asked for the {self.glasses[n % 5]}.", "asked": self.glasses[n % 5]}
                for n in range(15)]  # fmt: skip

    def setup(self, row):
        self.washed, self.served = set(), []

    @tool
    def wash(self, glass: str) -> str:
        """Wash a glass."""
        self.washed.add(glass)
        return "Washed."

    @tool
    def serve(self, glass: str) -> str:
        """Serve a washed glass."""
        self.served.append(glass if glass in self.washed else "")
        return "Served."

    @reward
    def is_right(self, asked):
        return self.served == [asked]

    def solve(self, row):
        return [call_message("wash", glass=row["asked"]), call_message("serve", glass=row["asked"]), "Done."]


class Opened(ToolEnv):
    """Sound: a record has to be read, and there is no other in the row."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Is file F{n} closed? Read it and decide.", "file": f"F{n}", "closed": n % 3 == 0}
                for n in range(15)]  # fmt: skip

    def setup(self, row):
        self.is_read, self.decided = False, None

    @tool
    def read_file(self, file: str) -> str:
        """Read a file."""
        if file != self.row["file"]:
            raise ValueError("there is no such file")
        self.is_read = True
        return "closed" if self.row["closed"] else "open"

    @tool
    def decide(self, is_closed: bool) -> str:
        """Say whether it is closed."""
        self.decided = self.is_read and is_closed
        return "Noted."

    @reward
    def is_right(self, closed):
        return self.is_read and self.decided == closed

    def solve(self, row):
        read = call_message("read_file", file=row["file"])
        return [read, call_message("decide", is_closed=row["closed"]), "Done."]


def test_every_value_that_a_reply_lists_is_tried_where_one_is_asked_for():
    (item,) = found(trying_every_value_is_not_gold, Cellos)
    assert "Calling lend with every value of 'cello'" in item.message
    assert item.severity == "error"


@pytest.mark.parametrize("cls", [OneOnly, TheLastCounts, Lamps, Glasses, Opened])
def test_more_than_one_is_not_tried_for_nothing(cls):
    assert not found(trying_every_value_is_not_gold, cls)


SPONSORS = ["Kiln", "Loom", "Mast", "Nail", "Oar", "Pump"]


class Envelopes(ToolEnv):
    """Which sponsor offers most? Any number of names may be handed in, and there is no solve."""

    max_turns = 9

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(16):
            offers = random.Random(number).sample(range(100, 900), len(SPONSORS))
            text = (
                f"Sponsors of match {number} are {', '.join(SPONSORS[:-1])} and {SPONSORS[-1]}. Open what each of them "
                "has sent. Report the one that offers most, and say a word of thanks."
            )
            rows.append({"prompt": text, "offers": offers, "best": SPONSORS[offers.index(max(offers))]})
        return rows

    def setup(self, row):
        self.reported = []

    @tool
    def open_envelope(self, sponsor: str) -> int:
        """Open an envelope."""
        if sponsor not in SPONSORS:
            raise LookupError("there is no such sponsor")
        return self.row["offers"][SPONSORS.index(sponsor)]

    @tool
    def report(self, sponsor: str) -> str:
        """Report the sponsor that offers most."""
        self.reported.append(sponsor)
        return "That is right." if sponsor == self.row["best"] else "No, somebody offers more."

    @reward
    def is_right(self, best):
        return best in self.reported


class FirstEnvelope(Envelopes):
    @reward
    def is_right(self, best):
        return self.reported[:1] == [best]


def test_every_name_that_the_prompt_lists_is_tried_where_there_is_no_solve():
    (item,) = found(trying_every_value_is_not_gold, Envelopes)
    assert "Calling report with every value of 'sponsor'" in item.message
    assert item.severity == "warning"
    assert not found(trying_every_value_is_not_gold, FirstEnvelope)


PLANTS = {"aster": (4, 6), "dahlia": (9, 11), "fern": (6, 7), "iris": (3, 3), "peony": (15, 9), "rose": (7, 8)}


class Beds(ToolEnv):
    """Plant as many flowers as the money allows. What a plant costs, and how many flowers it has."""

    max_turns = 14
    asks = (
        "You have {} coins. Plant as many flowers as you can: {}. Order with the tool, several of a kind if you like."
    )

    def build_dataset(self, tokenizer):
        shelf = ", ".join(f"{name} {cost} coins / {flowers} flowers" for name, (cost, flowers) in PLANTS.items())
        return [{"prompt": self.asks.format(coins, shelf), "coins": coins} for coins in range(19, 43, 2)]

    def best(self, coins):
        table = [[]]
        for cash in range(1, coins + 1):
            beds = [[*table[cash - cost], name] for name, (cost, _) in PLANTS.items() if cost <= cash]
            table.append(max(beds, key=self.flowers, default=[]))
        return table[coins]

    def flowers(self, bed):
        return sum(PLANTS[name][1] for name in bed)

    def setup(self, row):
        self.left, self.bed, self.odd = row["coins"], 0, False

    def taken(self, count):
        return count

    @tool
    def order(self, plant: str, count: int) -> dict:
        """Order plants."""
        if plant not in PLANTS:
            return {"error": f"There is no {plant}."}
        self.odd = self.odd or count < 0
        cost, flowers = PLANTS[plant]
        if cost * self.taken(count) > self.left:
            return {"error": f"That costs too much; {self.left} coins are left."}
        self.left -= cost * self.taken(count)
        self.bed += flowers * self.taken(count)
        return {"coins": self.left, "flowers": self.bed}

    @reward
    def share(self, coins):
        return max(0.0, min(1.0, self.bed / self.flowers(self.best(coins))))

    def solve(self, row):
        for name in self.best(row["coins"]):
            yield call_message("order", plant=name, count=1)
        yield "All are ordered."


class NoNegative(Beds):
    """The tool refuses it."""

    @tool
    def order(self, plant: str, count: int) -> dict:
        """Order plants."""
        return Beds.order(self, plant, count) if count > 0 else {"error": "Order one or more."}


class AsNothing(Beds):
    """Less than nothing is nothing."""

    def taken(self, count):
        return max(0, count)


class LosesAll(Beds):
    """A bed with less than nothing in it is no bed."""

    @reward
    def share(self, coins):
        return 0.0 if self.odd else max(0.0, min(1.0, self.bed / self.flowers(self.best(coins))))


class MaySell(Beds):
    """Plants that are not there yet may be sold, and bought later."""

    asks = (
        "You have {} coins. Plant as many flowers as you can: {}. Order with the tool; a negative count sells plants."
    )


def test_less_than_nothing_of_one_thing_does_not_pay_for_another():
    (item,) = found(absurd_numbers_are_not_gold, Beds)
    assert "pays for more of" in item.message
    assert "count=-20" in item.message
    assert item.severity == "error"


@pytest.mark.parametrize("cls", [NoNegative, AsNothing, LosesAll, MaySell])
def test_less_than_nothing_that_is_refused_or_loses_or_is_meant_is_not_reported(cls):
    assert not found(absurd_numbers_are_not_gold, cls)
