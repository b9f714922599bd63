"""What is done after gold or in place of it: a look, equal ids, an undo, another value, one choice for everything."""

from itertools import pairwise
from typing import Literal

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.episode.call_ids import ids_of_calls_do_not_matter
from grpo_env_sdk.checking.episode.harness import one_more_look_is_no_failure
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from grpo_env_sdk.checking.teaching.amounts.refilled_budgets import budgets_are_kept
from grpo_env_sdk.checking.teaching.games.winnable import every_row_can_be_won
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from grpo_env_sdk.checking.teaching.too_much.later_changes import what_is_changed_again_is_not_gold
from grpo_env_sdk.checking.teaching.wrong_answers.swapped_parts import is_framed, items_swapped
from tests.checking.trying import found

NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou")


def findings(check, cls):
    return [one for one in found(check, cls) if isinstance(one, Finding)]


class Mixer(ToolEnv):
    """A colour is mixed; a tool whose name does not say so shows how it came out."""

    last_only = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Mix {n} parts of blue.", "n": n} for n in range(2, 14)]

    def setup(self, row):
        self.parts = None

    @tool
    def mix(self, parts: int) -> str:
        """Mix it.

        Args:
            parts: How many parts of blue.
        """
        self.parts = parts
        return "It is mixed."

    @tool
    def probe(self) -> str:
        """Dip a strip of paper into it."""
        return "dry" if self.parts is None else f"blue {self.parts}"

    @reward
    def mixed(self, tool_calls, n):
        return self.parts == n and (not self.last_only or tool_calls[-1]["name"] == "mix")

    def solve(self, row):
        yield call_message("mix", parts=row["n"])
        yield "Done."


class AnyLast(Mixer):
    last_only = False


class Told(Mixer):
    """The prompt says which call has to be the last."""

    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": f"{row['prompt']} The last call has to be mix."}
            for row in super().build_dataset(tokenizer)
        ]


class Spoken(Mixer):
    """A tool without a state of its own, which is a part of the task."""

    @tool
    def probe(self) -> str:
        """Wave at the painter."""
        return "The painter waves back."


def test_a_tool_is_a_look_by_what_it_does():
    (finding,) = findings(one_more_look_is_no_failure, Mixer)
    assert "probe after it" in finding.message
    assert findings(one_more_look_is_no_failure, AnyLast) == []
    assert findings(one_more_look_is_no_failure, Spoken) == []
    assert [one.severity for one in findings(one_more_look_is_no_failure, Told)] == ["info"]


class Levers(MultiTurnEnv):
    """Two levers are pulled; calls are kept by their ids."""

    by_id = True
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Pull {a} and {b}.", "pair": [a, b]} for a, b in pairwise(NAMES)]

    def get_tools(self):
        lever = {"type": "object", "properties": {"lever": {"type": "string"}}, "required": ["lever"]}
        return [{"type": "function", "function": {"name": "pull", "description": "Pull it.", "parameters": lever}}]

    def setup(self, row):
        self.pulled = []

    def step(self, action):
        calls = [(call["id"], call["function"]["arguments"]) for call in action.get("tool_calls") or ()]
        calls = list(dict(calls).items()) if self.by_id else calls
        if not calls:
            return "Over.", float(sorted(self.pulled) == sorted(self.row["pair"])), True, False, {}
        self.pulled += [given["lever"] for _, given in calls]
        return (
            [{"role": "tool", "tool_call_id": name, "content": "Pulled."} for name, _ in calls],
            0.0,
            False,
            False,
            {},
        )

    def solve(self, row):
        for one in row["pair"]:
            yield call_message("pull", lever=one)
        yield "Done."


def test_calls_with_the_same_id_are_all_carried_out():
    (finding,) = findings(ids_of_calls_do_not_matter, Levers)
    assert finding.severity == "warning"
    assert "Only 1 of 2 calls" in finding.message
    assert findings(ids_of_calls_do_not_matter, type("InOrder", (Levers,), {"by_id": False})) == []


class Stairs(MultiTurnEnv):
    """Each step pays; the class counts what was paid under a name of its own."""

    keeps = True
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"House {n}. Write up to climb a stair, or undo to take it back. Four are to be climbed."}
            for n in range(8)
        ]

    def setup(self, row):
        self.stair, self.given = 0, 0

    def step(self, action):
        said = action["content"]
        if said == "undo" and self.stair:
            self.stair -= 1
            self.given -= not self.keeps
            return "Down again.", 0.0 if self.keeps else -0.25, False, False, {}
        if said != "up":
            return "Pardon?", 0.0, False, False, {}
        self.stair, self.given = self.stair + 1, self.given + 1
        return f"Stair {self.stair}.", 0.25, self.given == 4, False, {}

    def solve(self, row):
        return ["up"] * 4


def test_an_undo_takes_back_what_was_paid_whatever_counts_it():
    (finding,) = findings(what_was_undone_does_not_pay_again, Stairs)
    assert "undo" in finding.message
    assert findings(what_was_undone_does_not_pay_again, type("Fair", (Stairs,), {"keeps": False})) == []


class House(ToolEnv):
    """Devices of a room are set to the values of the row."""

    at_any_time = True

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"The {name} wants it bright and warm.", "wanted": {"lamp": 10 + n, "heating": 30 + n}}
            for n, name in enumerate(NAMES)
        ]  # fmt: skip

    def setup(self, row):
        self.now, self.met = {}, set()

    @tool
    def set_device(self, device: str, value: int) -> str:
        """Set a device.

        Args:
            device: lamp or heating.
            value: To what it is set.
        """
        self.now[device] = value
        self.met |= {device} if self.row["wanted"].get(device) == value else set()
        return f"The {device} is at {value}."

    @reward
    def as_wanted(self, wanted):
        return self.met == set(wanted) if self.at_any_time else self.now == wanted


def test_gold_of_one_call_an_item_is_changed_again():
    (finding,) = findings(what_is_changed_again_is_not_gold, House)
    assert "set_device" in finding.message
    assert findings(what_is_changed_again_is_not_gold, type("Now", (House,), {"at_any_time": False})) == []


class Ward(ToolEnv):
    """A level for each patient, and partial credit for levels that are near."""

    near = True

    def build_dataset(self, tokenizer):
        names = [f"{name}{n}" for n in range(6) for name in NAMES]
        rooms = [names[3 * n : 3 * n + 3] for n in range(24)]
        levels = [[3, (2, 4)[n % 2], (1, 3, 5)[n % 3]] for n in range(24)]
        return [
            {"prompt": f"Rate {', '.join(room)}.", "names": room, "levels": given}
            for room, given in zip(rooms, levels, strict=True)
        ]  # fmt: skip

    def setup(self, row):
        self.given = {}

    @tool
    def measure(self, patient: str) -> str:
        """Read the level off.

        Args:
            patient: Who it is.
        """
        return str(dict(zip(self.row["names"], self.row["levels"], strict=True)).get(patient, "unknown"))

    @tool
    def rate(self, patient: str, level: Literal[1, 2, 3, 4, 5]) -> str:
        """Give a level.

        Args:
            patient: Who it is.
            level: The level.
        """
        self.given[patient] = level
        return "noted"

    @reward
    def rated(self, names, levels):
        apart = [abs(self.given.get(name, 99) - level) for name, level in zip(names, levels, strict=True)]
        return sum(max(0.0, 1 - one / 4) if self.near else one == 0 for one in apart) / len(names)


def test_one_choice_for_everything_that_earns_most_is_named():
    (finding,) = findings(no_fixed_answer_is_gold, Ward)
    assert "level=3" in finding.message
    assert finding.severity == "warning"
    assert findings(no_fixed_answer_is_gold, type("Exact", (Ward,), {"near": False})) == []


class Shop(ToolEnv):
    """Things are bought for their price and returned for another one."""

    refund = "list_price"

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Shop {n}: spend all but 2 of 50 coins.", "n": n} for n in range(8)]

    def setup(self, row):
        self.money, self.bag = 50, []

    def offers(self):
        return {
            f"{name} doll": {"list_price": 9, "price": 4 + n % 5} for n, name in enumerate(NAMES[:4], self.row["n"])
        }

    @tool
    def show_offers(self) -> dict:
        """Show what there is."""
        return self.offers()

    @tool
    def buy(self, thing: str) -> dict:
        """Buy a thing.

        Args:
            thing: Its name.
        """
        offer = self.offers().get(thing)
        if offer is None or offer["price"] > self.money:
            return {"error": "That cannot be bought."}
        self.money -= offer["price"]
        self.bag.append(thing)
        return {"left": self.money}

    @tool
    def return_thing(self, thing: str) -> dict:
        """Return a thing that was bought.

        Args:
            thing: Its name.
        """
        if thing not in self.bag:
            return {"error": "That was not bought."}
        self.bag.remove(thing)
        self.money += self.offers()[thing][self.refund]
        return {"left": self.money}

    @reward
    def spent(self):
        return self.money == 2


def test_what_is_returned_gives_no_more_than_was_paid():
    (finding,) = findings(budgets_are_kept, Shop)
    assert "buy and then return_thing" in finding.message
    assert "'left'" in finding.message
    assert findings(budgets_are_kept, type("Fair", (Shop,), {"refund": "price"})) == []


class Names(ToolEnv):
    """Who it is has to be found out; a name that nobody has is answered with it."""

    tells = True

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Case {n}. Who was it, of {', '.join(NAMES)}?", "name": name} for n, name in enumerate(NAMES)
        ]

    def setup(self, row):
        self.accused = None

    @tool
    def accuse(self, name: str) -> str:
        """Accuse somebody, once.

        Args:
            name: Who it was.
        """
        if name not in NAMES:
            return f"Nobody is called {name}." + (f" All traces lead to {self.row['name']}." if self.tells else "")
        self.accused = self.accused or name
        return "It is noted."

    @reward
    def right(self, name):
        return self.accused == name


def test_a_choice_that_exists_nowhere_is_not_answered_with_the_right_one():
    (finding,) = findings(replies_do_not_tell_the_answer, Names)
    assert "accuse" in finding.message
    assert finding.severity == "warning"
    assert findings(replies_do_not_tell_the_answer, type("Silent", (Names,), {"tells": False})) == []


class Rooms(MultiTurnEnv):
    """A key may lie behind the door that it opens."""

    behind = True
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "You are in the hall (plan {}), and next to you is {}. Commands:\n- go ROOM\n- take key\n- take gem"
        keys = [2 if self.behind and n % 4 == 3 else 1 for n in range(9)]
        return [
            {"prompt": text.format(n, NAMES[n]), "rooms": ["hall", *NAMES[n : n + 3]], "key": key}
            for n, key in enumerate(keys)
        ]

    def setup(self, row):
        self.at, self.has_key = 0, False

    def look(self):
        near = [self.row["rooms"][place] for place in (self.at - 1, self.at + 1) if 0 <= place < 4]
        return f"Next to you: {', '.join(near)}." + (" A key lies here." if self.at == self.row["key"] else "")

    def step(self, action):
        verb, _, thing = action["content"].partition(" ")
        rooms = self.row["rooms"]
        if verb == "go" and thing in rooms and abs(rooms.index(thing) - self.at) == 1:
            if rooms.index(thing) == 2 and not self.has_key:
                return "The door is locked.", 0.0, False, False, {}
            self.at = rooms.index(thing)
            return self.look(), 0.0, False, False, {}
        if action["content"] == "take key" and self.at == self.row["key"]:
            self.has_key = True
            return "You have it.", 0.0, False, False, {}
        if action["content"] == "take gem" and self.at == 3:
            return "It is yours.", 1.0, True, False, {}
        return f"No. {self.look()}", 0.0, False, False, {}


def test_commands_with_a_blank_are_searched_with_what_is_shown():
    (finding,) = findings(every_row_can_be_won, Rooms)
    assert finding.severity == "error"
    assert "2 of 9 rows" in finding.message
    assert findings(every_row_can_be_won, type("Open", (Rooms,), {"behind": False})) == []


@pytest.mark.parametrize(("text", "framed"), [("Three foods in order are {}.", True), ("{}", False)])
def test_the_words_of_a_sentence_are_no_items(text, framed):
    golds = [text.format(" ".join(NAMES[n : n + 3])) for n in range(6)]
    assert is_framed(golds) == framed
    assert (items_swapped(golds[0], "Put them in order.", framed) is None) == framed
