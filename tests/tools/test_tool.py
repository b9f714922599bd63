"""Tools from functions, methods and schemas."""

import functools
import gc
import weakref
from typing import Any

import pytest

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.function_schema import function_schema
from grpo_env_sdk.tools.tool import Injected, Tool, bound_tools, tool
from grpo_env_sdk.tools.toolbox import Toolbox


def search(city: str, stars: int = 1) -> list[str]:
    """Find hotels.

    Args:
        city: Where to look.
        stars: The fewest stars.
    """
    return [f"{city} {stars}"]


def schema(**parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "search", "parameters": {"type": "object", **parameters}}}


def test_a_plain_function_is_a_tool():
    made = Tool.from_function(search)
    assert made.name == "search"
    assert made.schema == function_schema(search)
    assert made.parameters["required"] == ["city"]
    assert made.function is search
    assert (made.injected, made.strict, made.timeout) == ((), True, None)


def test_a_marked_function_stays_as_it_is_and_its_mark_counts():
    @tool(name="find", description="Find a hotel.", timeout=2.5)
    def look(city: str) -> str:
        return city

    assert look("Lyon") == "Lyon"
    made = Tool.from_function(look)
    assert (made.name, made.schema["function"]["description"], made.timeout) == ("find", "Find a hotel.", 2.5)


@pytest.mark.parametrize("given", ["find", 5])
def test_the_decorator_given_a_name_by_position_says_how_to_write_it(given):
    with pytest.raises(
        ToolSchemaError, match=r"@tool decorates a function, got .*\. Write @tool, or @tool\(name=\.\.\.\)\."
    ):
        tool(given)


def test_faults_of_a_function_are_told_with_its_name():
    @tool(name="find a hotel")
    def find(city: str) -> str: ...

    with pytest.raises(
        ToolSchemaError, match=r"find tool 'find a hotel' \$.function.name: .* is not a name of 1 to 64"
    ):
        Tool.from_function(find)


def test_faults_of_a_schema_are_told_all_at_once():
    with pytest.raises(ToolSchemaError) as caught:
        Toolbox.from_schemas([schema(required=["city"], properties={"a": {"type": 5}})], call=print)
    assert len(caught.value.faults) == 2


def test_a_schema_reaches_the_model_as_it_was_given():
    given = schema(properties={"city": {"type": "string", "x-note": "kept"}})
    assert Tool(given).schema is given
    assert Tool({"type": "function", "function": {"name": "a"}}).parameters == {"type": "object"}


def hotel(city: str, row: Injected[dict[str, Any]]) -> None: ...


def open_ended(city: str, row: Injected[dict[str, Any]], **filters: str) -> None: ...


def test_injected_parameters_are_hidden_however_the_tool_was_made():
    for made in (Tool.from_function(hotel), Tool(schema(), hotel)):
        assert made.injected == ("row",)
        assert "row" not in str(made.schema)
    assert Tool(schema(), print).injected == ()
    assert Tool(schema(), iter).injected == ()
    assert Tool(schema()).injected == ()


def test_only_a_schema_or_further_keywords_open_a_tool_to_other_arguments():
    assert Tool.from_function(hotel).strict
    assert not Tool.from_function(open_ended).strict
    assert Tool(schema(), hotel).strict
    assert Tool(schema(additionalProperties=False)).strict
    assert not Tool(schema()).strict
    assert not Tool(schema(additionalProperties={"type": "string"}), hotel).strict
    assert not Tool(schema(allOf=[{"properties": {"stars": {}}}]), hotel).strict


class Desk:
    @tool
    def second(self, city: str) -> str:
        """Second by name, first by place."""
        return f"{city} {id(self)}"

    @tool
    async def first(self, city: str) -> str:
        """An async one."""
        return city

    @staticmethod
    @tool
    def static(city: str) -> str:
        """A static one."""
        return city

    @tool
    @staticmethod
    def marked_static(city: str) -> str:
        """Marked above the staticmethod."""
        return city

    @classmethod
    @tool
    def of_class(cls, city: str) -> str:
        """One of the class."""
        return cls.__name__ + city

    @tool
    @classmethod
    def marked_of_class(cls, city: str) -> str:
        """Marked above the classmethod."""
        return cls.__name__ + city

    def not_a_tool(self) -> None: ...

    @property
    def broken(self) -> None:
        raise RuntimeError("never asked for")


class Counter(Desk):
    @tool
    def third(self) -> None:
        """One more."""

    @tool(name="renamed")
    def second(self, city: str) -> str:
        """Overridden."""
        return "over"

    def first(self, city: str) -> str:
        """Overridden without a mark, and a tool all the same."""
        return city

    static = None


def test_the_marked_methods_of_an_instance_are_its_tools_in_order():
    names = ["second", "first", "static", "marked_static", "of_class", "marked_of_class"]
    desk = Desk()
    made = bound_tools(desk)
    assert [item.name for item in made] == names
    assert made[0].function("Lyon") == f"Lyon {id(desk)}"
    assert made[4].function("Lyon") == "DeskLyon"
    for item in made:
        assert list(item.parameters["properties"]) == ["city"]


def test_a_subclass_overrides_hides_and_adds_tools():
    names = ["renamed", "first", "marked_static", "of_class", "marked_of_class", "third"]
    made = bound_tools(Counter())
    assert [item.name for item in made] == names
    assert made[1].function("Lyon") == "Lyon"
    assert made[1].schema["function"]["description"] == "Overridden without a mark, and a tool all the same."


def test_instances_share_a_schema_and_a_validator_and_are_not_kept_alive():
    first, second = Desk(), Desk()
    for one, other in zip(bound_tools(first), bound_tools(second), strict=True):
        assert one.schema is other.schema
        assert one.validator is other.validator
    seen = weakref.ref(first)
    del first, one, other
    gc.collect()
    assert seen() is None


class Finder:
    """Finds."""

    __hash__ = None  # as of a dataclass

    def __call__(self, city: str) -> str:
        """Find a city.

        Args:
            city: Which.
        """
        return city


def test_partials_and_callable_objects_are_tools():
    made = Tool.from_function(functools.partial(search, stars=3))
    assert (made.name, made.parameters["required"]) == ("search", ["city"])
    made = Tool.from_function(Finder())
    assert (made.name, made.schema["function"]["description"]) == ("Finder", "Find a city.")


@pytest.mark.parametrize(("builtin", "why"), [(len, "by position"), (print, "by position"), (iter, "no signature")])
def test_builtins_that_models_cannot_call_by_name_are_refused(builtin, why):
    with pytest.raises(ToolSchemaError, match=why):
        Tool.from_function(builtin)


@pytest.mark.parametrize("given", ["find", 5, None, {"name": "find"}, Desk])
def test_what_is_no_function_is_no_tool(given):
    with pytest.raises(ToolSchemaError, match=r"is not a tool\. Give a function, or a schema as a dict\."):
        Tool.from_function(given)


def test_a_tool_that_is_added_to_a_class_later_is_offered_to_the_next_instance():
    class Late(Desk):
        """Has what Desk has, until a tool is added."""

    before = [item.name for item in bound_tools(Late())]

    @tool
    def look(self, city: str) -> str:
        """Look for hotels in a city."""
        return city

    Late.look = look
    assert [item.name for item in bound_tools(Late())] == [*before, "look"]
