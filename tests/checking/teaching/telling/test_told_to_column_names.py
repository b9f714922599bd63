"""Replies to the names of columns, which may have the answer."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.telling.told_to_column_names import columns_cannot_be_asked_for
from tests.checking.trying import found
from tests.gallery.broken.calculator_of_the_row import Tiles

TOWNS = {"Peru": "Lima", "Iran": "Tehran", "Togo": "Lome", "Fiji": "Suva", "Cuba": "Havana", "Oman": "Muscat"}


class Quiz(MultiTurnEnv):
    """A message with the names of columns in braces is filled in by the row."""

    max_turns = 4
    hidden = ()

    def build_dataset(self, tokenizer):
        ask = "What is the capital of {}? Ask me things first, if you like, and end with FINAL and the town."
        return [{"prompt": ask.format(land), "land": land, "target": town} for land, town in TOWNS.items()]

    def step(self, action):
        said = answer_text([action]).strip()
        if said.startswith("FINAL "):
            return "", float(said[6:] == self.row["target"]), True, False, {}
        values = {name: value for name, value in self.row.items() if name not in self.hidden}
        return re.sub(r"\{(\w+)\}", lambda name: str(values.get(name[1], "?")), said), 0.0, False, False, {}

    def solve(self, row):
        return ["Is it large?", f"FINAL {row['target']}"]


class Closed(Quiz):
    """Sound: what the scorer compares with is no name."""

    hidden = ("target",)


class Bought(Quiz):
    """Sound: the town can be asked for, and then the answer does not count."""

    def setup(self, row):
        self.told = False

    def step(self, action):
        self.told = self.told or "{target}" in answer_text([action])
        reply, earned, *more = super().step(action)
        return reply, earned * (not self.told), *more


class OwnNames(Tiles):
    """Sound: the calculator knows no names."""

    def setup(self, row):
        self.row = {name: value for name, value in row.items() if name == "prompt"}


@pytest.mark.parametrize(("cls", "said"), [(Tiles, "'answer'"), (Quiz, "'target'")])
def test_a_column_whose_name_is_answered_with_the_answer_is_found(cls, said):
    (finding,) = found(columns_cannot_be_asked_for, cls)
    assert said in finding.message


@pytest.mark.parametrize("cls", [Closed, Bought, OwnNames])
def test_replies_that_keep_the_answer_are_let_be(cls):
    assert found(columns_cannot_be_asked_for, cls) == []


class Record(ToolEnv):
    """A tool reads values of an object, some of which it lists."""

    max_turns = 3
    asked = "Where is coin {n} from? End with the land."
    key = "origin"
    says = "mass or metal"
    hidden = ()

    def build_dataset(self, tokenizer):
        coins = [{"mass": f"{n} g", "metal": f"metal {n}", self.key: land} for n, land in enumerate(TOWNS)]
        return [{"prompt": self.asked.format(n=n), "coin": coin} for n, coin in enumerate(coins)]

    def get_tools(self):
        values = {"field": {"type": "string", "description": self.says}}
        parameters = {"type": "object", "properties": values, "required": ["field"]}
        return [{"type": "function", "function": {"name": "read", "description": "Read.", "parameters": parameters}}]

    def call_tool(self, name, arguments):
        return "?" if arguments["field"] in self.hidden else self.row["coin"].get(arguments["field"], "?")

    @reward
    def right(self, completion, coin):
        return answer_text(completion) == coin[self.key]


def record(**given):
    return type("Given", (Record,), given)


@pytest.mark.parametrize(("cls", "severity"), [
    (Record, "warning"),
    (record(key="label"), "error"),
    (record(key="label", says="A field."), "error"),
])  # fmt: skip
def test_a_value_beside_those_that_a_tool_lists_is_found_without_gold(cls, severity):
    (finding,) = found(columns_cannot_be_asked_for, cls)
    assert (finding.severity, repr(cls.key) in finding.message) == (severity, True)


@pytest.mark.parametrize("cls", [
    record(hidden=("origin",)),
    record(says="mass, metal or origin"),
    record(says="A field, such as mass or metal."),
    record(says="A field."),
    record(right=reward(lambda self, completion: 1.0)),
    record(asked="Where is coin {n} from? Fields: 'mass', 'metal', 'origin'."),
    record(key="label", says="A field.", asked="What is the label of coin {n}?"),
])  # fmt: skip
def test_values_that_are_offered_or_kept_are_let_be(cls):
    assert found(columns_cannot_be_asked_for, cls) == []
