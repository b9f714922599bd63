"""Methods that override a `@tool` method without the decorator."""

import dataclasses

import pytest

from grpo_env_sdk import ToolEnv, evaluate, load, reward, tool
from grpo_env_sdk.envs.ignored import never_called
from grpo_env_sdk.tools.tool import Injected, bound_tools
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall


@dataclasses.dataclass
class Place:
    city: str


class Parent(ToolEnv):
    """Count the beds of a place."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"How many beds has {city}?", "city": city} for city in ("Lyon", "Rome", "Bern")]

    @tool(name="count_beds", timeout=5)
    def beds(self, place: Place, least: int, row: Injected[dict]) -> str:
        """Count beds.

        Args:
            place: Where to look.
            least: The fewest beds.
        """
        return f"{place.city} {least} {row['city']}"

    @reward
    def right(self, completion):
        return 0.25

    def solve(self, row):
        return "none"


class Untyped(Parent):
    def beds(self, place, least, row):
        return super().beds(place, least, row).upper()


class HandedOn(Parent):
    def beds(self, *args, **kwargs):
        return super().beds(*args, **kwargs).upper()


class Typed(Parent):
    def beds(self, city: str) -> str:
        """Count beds in a city."""
        return city.upper()


class Nothing(Parent):
    def beds(self) -> str:
        return "NONE"


class Twice(Untyped):
    def beds(self, place, least, row):
        """Count beds, and shout."""
        return super().beds(place, least, row) + "!"


class Hidden(Untyped):
    beds = None


class Scored(Untyped):
    def right(self, completion):
        return 0.75


def only_tool(cls):
    (made,) = bound_tools(cls())
    return made


def said(cls, **arguments):
    box = Toolbox([only_tool(cls)], inject={"row": {"city": "Rome"}})
    return box.run(ToolCall("1", "count_beds", arguments)).content


@pytest.mark.parametrize("cls", [Untyped, HandedOn, Twice])
def test_without_types_the_schema_and_the_types_are_those_of_the_marked_method(cls):
    made, marked = only_tool(cls), only_tool(Parent)
    assert made.schema["function"]["parameters"] == marked.schema["function"]["parameters"]
    assert (made.name, made.timeout, made.injected) == ("count_beds", 5, ("row",))
    assert said(cls, place={"city": "Lyon"}, least=2.0).startswith("LYON 2 ROME")


def test_a_docstring_of_its_own_is_its_description():
    assert only_tool(Twice).schema["function"]["description"] == "Count beds, and shout."
    assert only_tool(Untyped).schema["function"]["description"] == "Count beds."


def test_with_types_or_without_parameters_the_schema_is_its_own():
    made = only_tool(Typed)
    assert (made.name, made.timeout) == ("count_beds", 5)
    assert list(made.parameters["properties"]) == ["city"]
    assert said(Typed, city="Lyon") == "LYON"
    assert only_tool(Nothing).parameters["properties"] == {}
    assert only_tool(Nothing).schema["function"]["description"] == "Count beds."
    assert said(Nothing) == "NONE"


def test_none_hides_a_tool():
    assert bound_tools(Hidden()) == []


def test_an_environment_offers_it_and_nothing_is_noted():
    loaded = load(Untyped)
    assert loaded.traits.kind == "tools"
    assert [schema["function"]["name"] for schema in loaded.tools] == ["count_beds"]
    assert list(never_called(Untyped())) == []


def test_a_reward_that_is_overridden_without_the_decorator_is_one_too():
    assert evaluate(Scored, "gold", split="all").summary["reward"]["mean"] == 0.75
