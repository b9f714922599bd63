"""Schemas whose example of an argument is the answer of the row, which the prompt has among others."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward
from grpo_env_sdk.checking.teaching.telling.told_in_schemas import schemas_do_not_tell_the_answer
from tests.checking.trying import found

CELLARS = ("oak", "slate", "brick", "chalk", "moss", "copper", "amber", "cedar", "flint", "ivory")


class Cellars(ToolEnv):
    """One of four cellars leaks; the description has its name as an example."""

    max_turns = 3
    runs_tools = True
    ask = "One of these cellars leaks: {}. Look into them, and pump out that one."

    def build_dataset(self, tokenizer):
        rows = []
        for n, name in enumerate(CELLARS):
            four = sorted([name, *(CELLARS[(n + k) % 10] for k in (2, 5, 7))])
            rows.append({"prompt": self.ask.format(", ".join(four), name=name), "cellar": name, "four": four})
        return rows

    def setup(self, row):
        self.pumped = []

    def example(self, row):
        return f"The cellar, such as {row['cellar'].title()}."

    def get_tools(self, row):
        cellar = {"type": "string", "description": self.example(row)}
        parameters = {"type": "object", "properties": {"cellar": cellar}, "required": ["cellar"]}
        return [
            {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}
            for name, text in (("look", "Look into a cellar."), ("pump", "Pump out a cellar."))
        ]

    def call_tool(self, name, arguments):
        if name == "pump":
            self.pumped.append(arguments["cellar"].lower())
            return "It is empty."
        return "Wet." if arguments["cellar"].lower() == self.row["cellar"] else "Dry."

    @reward
    def right(self, cellar):
        return self.pumped == [cellar]

    def solve(self, row):
        return [call_message("look", cellar=row["cellar"]), call_message("pump", cellar=row["cellar"]), "Done."]


class OneExample(Cellars):
    def example(self, row):
        return "The cellar, such as Oak."


class FirstOfFour(Cellars):
    """The example is the first by name on every row."""

    def example(self, row):
        return f"The cellar, such as {row['four'][0]}."


class NamedByPrompt(Cellars):
    """The prompt says which one it is."""

    ask = "There are these cellars: {}. The {name} cellar leaks. Pump it out."


def test_an_example_that_is_the_answer_is_named():
    (finding,) = found(schemas_do_not_tell_the_answer, Cellars)
    assert "10 of 10" in finding.message or "8 of 8" in finding.message
    assert "only among others" in finding.message


@pytest.mark.parametrize("cls", [OneExample, FirstOfFour, NamedByPrompt])
def test_examples_that_tell_nothing_are_let_be(cls):
    assert found(schemas_do_not_tell_the_answer, cls) == []
