"""Acts that take something back where there is nothing to take back."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.taken_back_unused import nothing_is_taken_back_for_gain
from tests.checking.trying import found
from tests.gallery.broken.undone_before_it_began import Tokens


class OnlyWhatWasDone(Tokens):
    """Sound: nothing happens where nothing was done."""

    def undo(self):
        if self.done:
            self.count -= 1
            self.down ^= {self.done.pop()}


class EachOneCosts(Tokens):
    """Sound: taking back counts as well."""

    def undo(self):
        self.count += 1
        self.down ^= {self.done.pop()} if self.done else set()


class OneWasDone(OnlyWhatWasDone):
    """Sound: there is one turn to take back when the game begins."""

    def setup(self, row):
        super().setup(row)
        self.down, self.done, self.count = self.down ^ {7}, [7], 1


class Shop(ToolEnv):
    """Things for a room, for the money that there is; what is returned is paid back though it was never bought."""

    max_turns = 8
    things = ("lamp", "rug", "desk", "bed")

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            prices = {thing: 10 + 7 * ((n + 3 * place) % 5) for place, thing in enumerate(self.things)}
            wanted = [self.things[n % 4], self.things[(n + 1) % 4]]
            listed = ", ".join(f"{thing} {price}" for thing, price in prices.items())
            money = sum(prices[one] for one in wanted)
            text = f"Shop {n}. Prices: {listed}. You have {money}. Buy {' and '.join(wanted)}."
            rows.append({"prompt": text, "prices": prices, "wanted": wanted})
        return rows

    def setup(self, row):
        self.money, self.bought = sum(row["prices"][one] for one in row["wanted"]), []

    @tool
    def buy(self, thing: str) -> str:
        """Buy a thing."""
        if self.row["prices"].get(thing, 999) > self.money:
            return "error: too dear"
        self.money -= self.row["prices"][thing]
        self.bought.append(thing)
        return f"bought, {self.money} left"

    @tool
    def return_thing(self, thing: str) -> str:
        """Return a thing."""
        if not self.may_be_returned(thing):
            return "error: that is not yours"
        if thing in self.bought:
            self.bought.remove(thing)
        self.money += self.row["prices"][thing]
        return f"returned, {self.money} left"

    def may_be_returned(self, thing):
        return True

    @reward
    def has_all(self, wanted):
        return all(one in self.bought for one in wanted)

    def solve(self, row):
        return [*(call_message("buy", thing=one) for one in row["wanted"]), "Done."]


class OnlyWhatWasBought(Shop):
    """Sound: only what was bought is taken back."""

    def may_be_returned(self, thing):
        return thing in self.bought


class Shelf(ToolEnv):
    """Things for a shelf of limited length, of a kind that no other row has; what is taken off was never on it."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        widths = dict(zip("abcdef", (30, 25, 20, 18, 40, 35), strict=True))
        text = "Shelf {}, 60 cm. Fill it with two boxes, the widest that fit together. list_boxes names them."
        return [
            {"prompt": text.format(at), "widths": [[f"{at}{name}", one] for name, one in widths.items()]}
            for at in range(9)
        ]

    def setup(self, row):
        self.on, self.used, self.boxes = set(), 0, dict(row["widths"])

    @tool
    def list_boxes(self) -> dict[str, int]:
        """The boxes, with their width."""
        return self.boxes

    @tool
    def put_on(self, box: str) -> str:
        """Put a box on the shelf."""
        width = self.boxes.get(box, 999)
        if self.used + width > 60 or box in self.on:
            return "error: it does not fit"
        self.used += width
        self.on.add(box)
        return "It is on."

    @tool
    def remove_box(self, box: str) -> str:
        """Take a box off the shelf."""
        if box in self.on or self.is_taken_for_it():
            self.used -= self.boxes.get(box, 0)
        self.on.discard(box)
        return "It is off."

    def is_taken_for_it(self):
        return True

    @reward
    def filled(self):
        return min(1.0, sum(self.boxes[box] for box in self.on) / 60)

    def solve(self, row):
        first, second = (box for box, width in row["widths"] if width in (25, 35))
        return [call_message("list_boxes"), call_message("put_on", box=first), call_message("put_on", box=second), "."]


class ShelfAsItIs(Shelf):
    """Sound: what was never on the shelf leaves it as it is."""

    def is_taken_for_it(self):
        return False


class TurnsByCalls(ToolEnv):
    """Drawers to be opened with few calls; a call that undoes nothing gives one back."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Open drawer {n} with as few calls as you can.", "drawer": n} for n in range(12)]

    def setup(self, row):
        self.count, self.open = 0, []

    @tool
    def open_drawer(self, drawer: int) -> str:
        """Open a drawer."""
        self.count += 1
        self.open.append(drawer)
        return "open"

    @tool
    def undo_last(self) -> str:
        """Undo the last call."""
        self.count -= self.given_back()
        return f"closed {self.open.pop()}" if self.open else "nothing to undo"

    def given_back(self):
        return 1

    @reward
    def few(self, drawer):
        return (drawer in self.open) / max(1, self.count)

    def solve(self, row):
        return [call_message("open_drawer", drawer=row["drawer"]), "Done."]


class DrawersUndone(TurnsByCalls):
    """Sound: a call is given back where one is undone."""

    def given_back(self):
        return bool(self.open)


@pytest.mark.parametrize("cls", [Tokens, Shop, TurnsByCalls])
def test_taking_back_what_was_never_done_for_gain_is_found(cls):
    (finding,) = found(nothing_is_taken_back_for_gain, cls)
    assert "8 times" in finding.message


def test_room_that_is_made_for_values_which_only_replies_list_is_found():
    (finding,) = found(nothing_is_taken_back_for_gain, Shelf)
    assert 'lets put_on(box="0e") be carried out' in finding.message


@pytest.mark.parametrize(
    "sound", [OnlyWhatWasDone, EachOneCosts, OneWasDone, OnlyWhatWasBought, DrawersUndone, ShelfAsItIs]
)
def test_taking_back_what_was_done_is_sound(sound):
    assert found(nothing_is_taken_back_for_gain, sound) == []
