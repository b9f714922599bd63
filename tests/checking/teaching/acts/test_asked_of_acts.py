"""Acts on the way and their order, values that are asked for, and budgets for everything together."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.named_values import each_value_that_is_asked_for_counts as values
from grpo_env_sdk.checking.teaching.acts.order_of_acts import the_order_that_is_asked_for_counts as order
from grpo_env_sdk.checking.teaching.acts.steps_on_the_way import what_is_on_the_way_is_needed as ways
from grpo_env_sdk.checking.teaching.amounts.budgets_in_all import budgets_hold_for_all_things_together as budgets
from tests.checking.trying import found
from tests.gallery.broken.any_section import SECTIONS, Tables
from tests.gallery.broken.coats_by_colour import Coats
from tests.gallery.broken.lowest_crate_first import Crates
from tests.gallery.broken.weighed_one_by_one import MOST, Suitcase


class TopFirst(Crates):
    """Sound: a crate below others stays where it is."""

    def held(self, crate):
        return self.stack[:1] != [crate]


class WithoutRule(Crates):
    """Sound: nothing is said of what lies on others, and gold tidies up."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"Bring the crate of {row['stack'][-1]} to the gate."} for row in rows]


PLACES = ("attic", "barn", "cabin", "dairy", "forge", "garage", "hut", "igloo", "kiln", "lodge")


class Tower(MultiTurnEnv):
    """One goes up a tower floor by floor, and rings a bell; the rope hangs down to every floor."""

    max_turns = 8
    reward_range = (0, 1)
    rings_from = range(1, 9)

    def build_dataset(self, tokenizer):
        ask = "You are on floor 1 of the {}. Climb one floor at a time, and ring the {} bell, which is on floor 4 only."
        return [{"prompt": ask.format(place, place), "place": place} for place in PLACES]

    def setup(self, row):
        self.floor = 1

    def step(self, action):
        said = answer_text(action).strip()
        if said == f"climb {self.floor + 1}":
            self.floor += 1
            return f"You are on floor {self.floor}.", 0.0, False, False, {}
        if said == f"ring {self.row['place']}" and self.floor in self.rings_from:
            return "It rings.", 1.0, True, False, {}
        return "Nothing happens.", 0.0, False, False, {}

    def solve(self, row):
        return ["climb 2", "climb 3", "climb 4", f"ring {row['place']}"]


class InReach(Tower):
    """Sound: the bell is where the prompt says."""

    rings_from = range(4, 5)


class Hidden(MultiTurnEnv):
    """Sound: which of the locked doors is right is told on the way, so a lucky guess wins at once."""

    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        ask = "House {}: gold is in one of {}. All rooms are locked. Walk north or south for hints, then open one."
        return [{"prompt": ask.format(number, ", ".join(PLACES)), "place": PLACES[number % 10]} for number in range(20)]

    def step(self, action):
        said = answer_text(action).strip()
        if said.startswith("open"):
            return "Open.", float(said == f"open {self.row['place']}"), True, False, {}
        return f"It is not the {PLACES[PLACES.index(self.row['place']) - 1]}.", 0.0, False, False, {}

    def solve(self, row):
        return ["walk north", "walk south", f"open {row['place']}"]


@pytest.mark.parametrize(("env", "how"), [(Crates, "with its last act alone"), (Tower, "with its last act alone")])
def test_gold_without_its_way_is_found_where_a_rule_is_about_it(env, how):
    (finding,) = found(ways, env)
    assert f"Gold {how}, although" in finding.message
    assert "is a rule" in finding.message


@pytest.mark.parametrize("env", [TopFirst, WithoutRule, InReach, Hidden])
def test_nothing_is_said_where_the_way_is_needed_or_tells_the_end(env):
    assert not found(ways, env)


class AsAsked(Tables):
    """Sound: the section counts."""

    @reward
    def sits(self, guest, section):
        return self.seated == [(guest, section)]


class FullSections(Tables):
    """Sound: the score need not look at what the tool refuses."""

    @tool
    def seat(self, guest: str, section: str) -> str:
        """Seat a guest in a section.

        Args:
            guest: The name of the guest.
            section: The section: terrace, gallery, cellar or bar.
        """
        if (guest, section) != (self.row["guest"], self.row["section"]):
            return "That is not possible."
        self.seated.append((guest, section))
        return f"{guest} sits in the section {section}."


class AnyWillDo(Tables):
    """Sound: the guest does not mind, and gold takes one."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        ask = "Guest {} of tonight is {}. Any section will do: {}."
        listed = ", ".join(SECTIONS)
        return [{**row, "prompt": ask.format(n, row["guest"], listed)} for n, row in enumerate(rows)]


class Studios(ToolEnv):
    """A studio is to be chosen that has enough stands, and any is fine."""

    max_turns = 5
    ask = "Reserve a studio with at least {} stands for band {}."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            names = ("Mint", "Rust", "Sand", "Teal")
            studios = {name: 3 + (number + 4 * place) % 9 for place, name in enumerate(names)}
            need = sorted(studios.values())[-2]
            prompt = self.ask.format(need, number + 1)
            rows.append({"prompt": prompt, "studios": studios, "need": need, "band": number + 1})
        return rows

    def setup(self, row):
        self.reserved = []

    @tool
    def list_studios(self) -> dict:
        """The studios, and how many stands each has."""
        return self.row["studios"]

    @tool
    def reserve(self, studio: str, band: int) -> str:
        """Reserve a studio for a band."""
        if studio not in self.row["studios"]:
            return "There is no such studio."
        self.reserved.append((studio, band))
        return "Reserved."

    def enough(self, studio):
        return True

    @reward
    def right(self, band):
        return [who for _, who in self.reserved] == [band] and self.enough(self.reserved[0][0])

    def solve(self, row):
        yield call_message("list_studios")
        studio = next(name for name, stands in row["studios"].items() if stands >= row["need"])
        yield call_message("reserve", studio=studio, band=row["band"])
        yield "Reserved."


class EnoughStands(Studios):
    """Sound: two of four have enough stands."""

    def enough(self, studio):
        return self.row["studios"][studio] >= self.row["need"]


class AnyStudio(Studios):
    """Sound: the prompt leaves the choice open."""

    ask = "Reserve any studio you like; all have at least {} chairs. It is for band {}."


@pytest.mark.parametrize(
    ("env", "value", "severity"), [(Tables, "'section' of seat", "error"), (Studios, "'studio' of reserve", "warning")]
)
def test_a_value_that_is_asked_for_and_not_compared_is_found(env, value, severity):
    (finding,) = found(values, env)
    assert f"any other value as {value}" in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize("env", [AsAsked, FullSections, AnyWillDo, EnoughStands, AnyStudio])
def test_nothing_is_said_where_the_value_counts_or_is_free(env):
    assert not found(values, env)


class Added(Suitcase):
    """Sound: what is packed is added up."""

    def too_heavy(self, thing):
        return sum(self.row["things"][name]["kg"] for name in [*self.packed, thing]) > MOST


class TornApart(Suitcase):
    """Sound: a suitcase that is too full counts for nothing."""

    def counted(self, things):
        kilos = sum(things[name]["kg"] for name in self.packed)
        return super().counted(things) if kilos <= MOST else 0.0


class Large(Suitcase):
    """Sound: everything fits, and what is asked for is what counts."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace(f"{MOST} kg in all", "200 kg in all")} for row in rows]


def test_a_budget_that_holds_for_each_thing_alone_is_found():
    (finding,) = found(budgets, Suitcase)
    assert "in all where the prompt allows 20" in finding.message
    assert "calls of pack with everything else" in finding.message


@pytest.mark.parametrize("env", [Added, TornApart, Large])
def test_nothing_is_said_where_the_budget_holds_or_suffices(env):
    assert not found(budgets, env)


class CoatByCoat(Coats):
    """Sound: coats are compared in their order."""

    @reward
    def as_asked(self, coats):
        return self.painted == coats


class AnyOrder(Coats):
    """Sound: the order is free."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace("in this order", "in any order")} for row in rows]


class OfOneOrder(Coats):
    """Sound: an order is what a customer has bought."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"A customer wants the coats in this order: {row['coats']}."} for row in rows]


class LastCoat(Coats):
    """Sound: only the last coat is to be seen, and gold paints it in another way each time."""

    @reward
    def as_asked(self, coats):
        return self.painted[-1:] == coats[-1:]


class Rinsed(Tower):
    """Words of a game in an order that nobody compares; what they are counts."""

    asked = "Rinse number {}. First soak {}, then scrub {}, and finally rinse {}."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(n, *[place] * 3), "place": place} for n, place in enumerate(PLACES)]

    def setup(self, row):
        self.done = set()

    def allowed(self, verb):
        return True

    def step(self, action):
        verb, _, what = answer_text(action).strip().partition(" ")
        if what != self.row["place"] or not self.allowed(verb):
            return "That does not work.", 0.0, True, False, {}
        self.done.add(verb)
        won = self.done == {"soak", "scrub", "rinse"}
        return "Fine.", float(won), won, False, {}

    def solve(self, row):
        return [f"{verb} {row['place']}" for verb in ("soak", "scrub", "rinse")]


class OneAfterAnother(Rinsed):
    """Sound: nothing is scrubbed before it is soaked."""

    def allowed(self, verb):
        return len(self.done) == ("soak", "scrub", "rinse").index(verb)


@pytest.mark.parametrize(("env", "severity"), [(Coats, "error"), (Rinsed, "warning")])
def test_an_order_that_is_asked_for_and_not_compared_is_found(env, severity):
    (finding,) = found(order, env)
    assert "Gold with its acts in reverse, although the prompt says" in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize("env", [CoatByCoat, AnyOrder, OfOneOrder, LastCoat, OneAfterAnother])
def test_nothing_is_said_where_the_order_counts_or_is_free(env):
    assert not found(order, env)


class BellAndHammer(Tower):
    """Everything at the end is written in several words, all of which the prompt has."""

    def build_dataset(self, tokenizer):
        ask = "You are on floor 1. Climb one floor at a time. The bell {} is on floor 4, and rings with the hammer {}."
        return [{"prompt": ask.format(place, place[::-1]), "place": f"{place} {place[::-1]}"} for place in PLACES]


def test_what_gold_ends_with_may_be_several_words_of_the_prompt():
    assert found(ways, BellAndHammer)


TOWNS, WAGONS = ("Bern", "Chur", "Thun", "Genf", "Olten"), ("silent", "family", "bistro", "sleeping")


class Trains(MultiTurnEnv):
    """A command reserves a seat in a wagon, and the wagon is not compared."""

    max_turns = 3
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        ask = "Traveller {} goes to {} and wants a seat in the {} wagon. Write: reserve <town> <wagon>. Then write: end"
        rows = [(n, TOWNS[n % 5], WAGONS[n % 4]) for n in range(20)]
        return [{"prompt": ask.format(n, town, wagon), "town": town, "wagon": wagon} for n, town, wagon in rows]

    def setup(self, row):
        self.seat = None

    def right(self, town, wagon):
        return town == self.row["town"]

    def step(self, action):
        verb, *words = answer_text(action).split() or [""]
        if verb == "reserve" and len(words) == 2 and words[1] in WAGONS:
            self.seat = words
            return "Reserved.", 0.0, False, False, {}
        won = verb == "end" and self.seat is not None and self.right(*self.seat)
        return "Good bye.", float(won), True, False, {}

    def solve(self, row):
        return [f"reserve {row['town']} {row['wagon']}", "end"]


class WagonCounts(Trains):
    """Sound: the wagon is compared too."""

    def right(self, town, wagon):
        return (town, wagon) == (self.row["town"], self.row["wagon"])


class Chat(Trains):
    """Sound: somebody is to be answered, in any words that name the town."""

    def step(self, action):
        self.seat = self.seat or answer_text(action)
        return "I see.", float(self.row["town"] in self.seat), answer_text(action) == "end", False, {}

    def solve(self, row):
        return [f"To {row['town']} in a {row['wagon']} wagon, then?", "end"]


def test_a_word_of_a_command_that_is_not_compared_is_found():
    (finding,) = found(values, Trains)
    assert "any other value as word 3 of a message, which the prompt names" in finding.message


@pytest.mark.parametrize("env", [WagonCounts, Chat])
def test_nothing_is_said_of_words_that_count_or_are_free(env):
    assert not found(values, env)
