"""Faults that were reported of published environments, each beside a sound variant."""

import random
import re

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.contract.leaks import form_does_not_tell_the_answer as leaks
from grpo_env_sdk.checking.teaching.allowed_forms import forms_that_a_prompt_allows_are_accepted as forms
from grpo_env_sdk.checking.teaching.beside_gold import acts_beside_gold_do_not_pay as beside_gold
from grpo_env_sdk.checking.teaching.copying import copying_is_not_gold as copying
from grpo_env_sdk.checking.teaching.farming import what_was_undone_does_not_pay_again as farming
from grpo_env_sdk.checking.teaching.guessing import no_fixed_answer_is_gold as guessing
from grpo_env_sdk.checking.teaching.idling import idling_is_not_gold as idling
from grpo_env_sdk.checking.teaching.near_misses import near_misses_score_less as misses
from grpo_env_sdk.checking.teaching.side_doors import trying_every_value_is_not_gold as every_value
from grpo_env_sdk.checking.teaching.turns_that_count import every_turn_counts as turns
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters as parameters
from tests.checking.trying import asking, found

MOVES = ("e2e4", "d2d4", "g1f3", "b1c3", "f1c4", "c1g5", "d1h5", "e1g1")
COLOURS, SIZES = ("red", "blue", "green"), ("s", "m", "l")


def valued(n, rng):
    values = {move: rng.randint(-50, 50) for move in rng.sample(MOVES, 5)}
    return f"Game {n}. Legal moves with their values: {values}. Play the best.", max(values, key=values.get)


class AnyMove(asking(valued)):
    def score_episode(self, model, tokenizer, completion, prompt, wanted):
        return float(completion.strip() in prompt and completion.strip() in MOVES)


class InTags(asking(lambda n, rng: (f"Case {n}.", str(rng.randint(100, 999))))):
    """Asks for tags on lines of their own."""

    pattern = re.compile(r"<reasoning>.*?</reasoning>\s*<answer>(.*?)</answer>")

    def build_dataset(self, tokenizer):
        shown = "<reasoning>\n...\n</reasoning>\n<answer>\n...\n</answer>"
        return [
            {**row, "prompt": f"{row['prompt']} Write {row['wanted']} backwards, like this:\n{shown}"}
            for row in super().build_dataset(tokenizer)
        ]

    def score_episode(self, model, tokenizer, completion, wanted):
        read = self.pattern.search(completion)
        return float(read is not None and read[1].strip() == wanted[::-1])

    def solve(self, row):
        return f"<reasoning>Last digit first.</reasoning><answer>{row['wanted'][::-1]}</answer>"


class InTagsOfLines(InTags):
    pattern = re.compile(InTags.pattern.pattern, re.DOTALL)


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


class Library(ToolEnv):
    """A search that has the right page for any words."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        said = "How many people live in Town{}? Search for it, then write the number alone."
        return [{"prompt": said.format(n), "town": f"Town{n}", "people": 1000 + 37 * n} for n in range(20)]

    @tool
    def search(self, query: str) -> str:
        """Search the library.

        Args:
            query: Words to look for.
        """
        return self.page(query)

    def page(self, query):
        return f"{self.row['town']} has {self.row['people']} people. Towns are old."

    @reward
    def right(self, completion, people):
        return answer_text(completion) == str(people)

    def solve(self, row):
        yield call_message("search", query=row["town"])
        yield str(row["people"])


class LibraryThatReads(Library):
    def page(self, query):
        return super().page(query) if query == self.row["town"] else "Nothing was found."


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


def filed(n, rng):
    kind = rng.choice(("urgent", "normal", "spam"))
    words = " ".join(rng.sample(("order", "parcel", "money", "account", "late", "friend", "holiday"), 4))
    return f"File /data/{kind[0]}/{n:04}.eml: {words}. Is it urgent, normal or spam?", kind


def filed_by_day(n, rng):
    text, kind = filed(n, rng)
    return text.replace(f"/{kind[0]}/", f"/{rng.choice('usn')}/"), kind


class Thoughtful(
    asking(lambda n, rng: (f"Think in <think> tags about {n + 20} * {n + 30}.", str((n + 20) * (n + 30))))
):
    """Thoughts count for their length, whatever they say."""

    of_thoughts = 0.6

    def score_episode(self, model, tokenizer, completion, wanted):
        length = min(1.0, len(completion.rpartition("</think>")[0].split()) / 50)
        right = completion.strip().endswith(wanted)
        return (1 - self.of_thoughts) * right + self.of_thoughts * length * (right or self.of_thoughts > 0.5)

    def solve(self, row):
        return f"<think>{'I multiply and check it. ' * 12}</think>{row['wanted']}"


class ThoughtfulOnceRight(Thoughtful):
    of_thoughts = 0.3


class Names(asking(lambda n, rng: (f"Which file has number {n}?", f"part.{n}.txt"))):
    """The right name is taken for a pattern."""

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(re.fullmatch(wanted, completion) is not None)


def element(n, rng):
    name, price = rng.choice(("pen", "cup", "bag")), rng.randint(2, 50)
    gold = f"<item><name>{name}</name><price>{price}</price></item>"
    return f"Write case {n}, a {name} for {price}, as <item><name>NAME</name><price>PRICE</price></item>.", gold


class Rooms(ToolEnv):
    """The last of the rooms in a list is where it has to end, and whoever calls all of them ends there too."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        names = ("attic", "cellar", "garage", "garden", "hall")
        rows = [{"rooms": random.Random(n).sample(names, 3)} for n in range(20)]
        return [{**row, "prompt": f"Walk {n}: end in the {row['rooms'][-1]}."} for n, row in enumerate(rows)]

    def setup(self, row):
        self.at = "porch"

    @tool
    def move_to(self, room: str) -> str:
        """Move to a room.

        Args:
            room: Which.
        """
        self.at = room
        return f"You are in the {room}."

    @reward
    def there(self, rooms):
        return self.at == rooms[-1]

    def solve(self, row):
        yield call_message("move_to", room=row["rooms"][-1])
        yield "Here."


class RoomsEver(Rooms):
    def setup(self, row):
        self.been = set()

    @tool
    def move_to(self, room: str) -> str:
        """Move to a room.

        Args:
            room: Which.
        """
        self.been.add(room)
        return f"You are in the {room}."

    @reward
    def there(self, rooms):
        return rooms[-1] in self.been


@pytest.mark.parametrize(
    ("check", "env", "severity", "said"),
    [
        (copying, AnyMove, "error", "quoted text in the prompt"),
        (forms, InTags, "error", "on lines of their own"),
        (beside_gold, Corridor, "error", "'pull' after a step"),
        (guessing, Shop, "warning", "of what gold earns"),
        (parameters, Library, "error", "search ignores 'query'"),
        (leaks, asking(filed, 90), "error", "the id of a prompt gives the answer away"),
        (idling, Thoughtful, "warning", "A long meaningless thought earns 60%"),
        (every_value, RoomsEver, "error", "with every value of 'room'"),
        (misses, Names, "error", "with other signs in place of its dots"),
    ],
)
def test_what_was_reported_of_others_is_found(check, env, severity, said):
    told = [(item.severity, item.message) for item in found(check, env) if hasattr(item, "severity")]
    assert any(how == severity and said in text for how, text in told), told


@pytest.mark.parametrize(
    ("check", "env"),
    [
        (copying, asking(valued)),
        (forms, InTagsOfLines),
        (beside_gold, CorridorPaidOnce),
        (farming, Flags),
        (guessing, ShopOfPartsAlone),
        (parameters, LibraryThatReads),
        (leaks, asking(filed_by_day, 90)),
        (idling, ThoughtfulOnceRight),
        (every_value, Rooms),
        (misses, asking(element)),
        (misses, asking(lambda n, rng: (f"Which file has number {n}?", f"part.{n}.txt"))),
        (turns, Haggling),
    ],
)
def test_nothing_is_said_of_the_sound_variant(check, env):
    assert not [item for item in found(check, env) if getattr(item, "severity", "info") != "info"]
