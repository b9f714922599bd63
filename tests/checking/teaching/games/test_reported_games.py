"""Faults that were reported of published environments of several turns, each beside a sound variant."""

import random
import re

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.acts.turns_that_count import every_turn_counts as turns
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again as farming
from grpo_env_sdk.checking.teaching.games.beside_gold import acts_beside_gold_do_not_pay as beside_gold
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold as guessing
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer as telling
from tests.checking.trying import found

COLOURS, SIZES = ("red", "blue", "green"), ("s", "m", "l")


class Corridor(MultiTurnEnv):
    """A box is pushed to a target, which pays each time it gets there."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        pairs = [(box, target) for box in (1, 2, 3) for target in (5, 6, 7, 8)]
        said = "A corridor of cells 0 to 9. The box is in cell {}, its target is {}. Say `push` or `pull`."
        return [{"prompt": said.format(*pair), "box": pair[0], "target": pair[1]} for pair in pairs]

    def setup(self, row):
        self.box, self.paid = row["box"], False

    def step(self, action):
        word = answer_text(action)
        self.box += {"push": 1, "pull": -1}.get(word, 0)
        return (
            f"The box is in cell {self.box}.",
            self.earned(word == "push" and self.box == self.row["target"]),
            False,
            False,
            {},
        )

    def earned(self, there):
        return float(there)

    def solve(self, row):
        return ["push"] * (row["target"] - row["box"])


class CorridorPaidOnce(Corridor):
    def earned(self, there):
        first = there and not self.paid
        self.paid = self.paid or there
        return float(first)


class Flags(MultiTurnEnv):
    """Two flags are found in any order, and each pays once."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        said = "Case {}: collect the flags f{} and f{} with `flag NAME`, then `end`."
        return [
            {"prompt": said.format(n, n % 7, n % 7 + 1), "flags": [f"f{n % 7}", f"f{n % 7 + 1}"]} for n in range(20)
        ]

    def setup(self, row):
        self.history = []

    def step(self, action):
        name = answer_text(action).removeprefix("flag ")
        earned = 0.5 * (name in self.row["flags"] and name not in self.history)
        self.history.append(name)
        return "ok", earned, name == "end", False, {}

    def solve(self, row):
        return [*(f"flag {name}" for name in row["flags"]), "end"]


class Shop(MultiTurnEnv):
    """The first thing in the list has half of what was asked for on every row."""

    max_turns = 4
    kind = 2

    def build_dataset(self, tokenizer):
        rng = random.Random(1)
        rows = [{"number": n, "colour": rng.choice(COLOURS), "size": rng.choice(SIZES)} for n in range(40)]
        said = "Order {number}: buy a {colour} shirt of size {size}. Say `list`, then `buy N`."
        return [{**row, "prompt": said.format(**row)} for row in rows]

    def setup(self, row):
        self.things = [(colour, size) for colour in COLOURS for size in SIZES]
        random.Random(row["number"]).shuffle(self.things)

    def step(self, action):
        text = answer_text(action)
        if not re.fullmatch(r"buy [0-8]", text):
            return "\n".join(f"{n}: {' '.join(thing)}" for n, thing in enumerate(self.things)), 0.0, False, False, {}
        colour, size = self.things[int(text[-1])]
        right = (colour == self.row["colour"]) + (size == self.row["size"])
        return "Bought.", (self.kind + right) / (self.kind + 2), True, False, {}

    def solve(self, row):
        things = [(colour, size) for colour in COLOURS for size in SIZES]
        random.Random(row["number"]).shuffle(things)
        return ["list", f"buy {things.index((row['colour'], row['size']))}"]


class ShopOfPartsAlone(Shop):
    kind = 0


class Haggling(MultiTurnEnv):
    """Two offers, of which the seller takes the mean, without cents."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        said = "Buy the bike for {} or less; it costs {}. Say `offer N`, then `deal`."
        return [{"prompt": said.format(150 + n, 200 + n), "asked": 200 + n, "most": 150 + n} for n in range(20)]

    def setup(self, row):
        self.price = row["asked"]

    def step(self, action):
        text = answer_text(action)
        if text == "deal":
            return "Sold.", float(self.price <= self.row["most"]), True, False, {}
        if re.fullmatch(r"offer \d+", text):
            self.price = (self.price + int(text[6:])) // 2 if int(text[6:]) > self.row["asked"] // 3 else 999
        return f"That makes {self.price // 20 * 20} or so.", 0.0, False, False, {}

    def solve(self, row):
        return [f"offer {row['most'] - 60}", "deal"]


class Riddle(MultiTurnEnv):
    """Says the number to whoever asks for it."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        said = "Riddle {}: find the number from 1 to 99 that I think of. I say higher or lower."
        return [{"prompt": said.format(n), "number": (37 * n) % 89 + 10} for n in range(30)]

    def step(self, action):
        text, number = answer_text(action), self.row["number"]
        if not re.fullmatch("[0-9]{1,2}", text):
            return self.told(text), 0.0, False, False, {}
        won = int(text) == number
        return "Yes" if won else "higher" if int(text) < number else "lower", float(won), won, False, {}

    def told(self, text):
        return f"It is {self.row['number']}." if "please" in text.lower() else "A number!"

    def solve(self, row):
        return str(row["number"])


class RiddleThatIsKept(Riddle):
    def told(self, text):
        return "A number!"


@pytest.mark.parametrize(
    ("check", "env", "severity", "said"),
    [
        (beside_gold, Corridor, "error", "'pull' after a step"),
        (guessing, Shop, "warning", "of what gold earns"),
        (telling, Riddle, "error", "The reply to a wrong message"),
    ],
)
def test_what_was_reported_of_others_is_found(check, env, severity, said):
    told = [(item.severity, item.message) for item in found(check, env, "default") if hasattr(item, "severity")]
    assert any(how == severity and said in text for how, text in told), told


@pytest.mark.parametrize(
    ("check", "env"),
    [
        (beside_gold, CorridorPaidOnce),
        (telling, RiddleThatIsKept),
        (farming, Flags),
        (guessing, ShopOfPartsAlone),
        (turns, Haggling),
    ],
)
def test_nothing_is_said_of_the_sound_variant(check, env):
    assert not [item for item in found(check, env, "default") if getattr(item, "severity", "info") != "info"]
