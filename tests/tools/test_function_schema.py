"""Schemas of functions: equal to those of transformers, and correct where it takes none."""

import builtins
import functools
import importlib.util
import subprocess
import sys
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.utils.chat_template_utils import get_json_schema

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.docstrings import parse_docstring
from grpo_env_sdk.tools.function_schema import Injected, function_schema, injected_names
from tests.tools.signatures_compared import (
    SAME,
    Colour,
    Size,
    accepts,
    one_integer,
    one_string,
    parameters_of,
    with_a_default,
    with_hints,
)


@pytest.mark.parametrize("function", SAME, ids=lambda function: function.__name__)
def test_the_schema_equals_that_of_transformers(function):
    assert function_schema(function) == get_json_schema(function)
    parameters_of(function)


def test_at_least_a_hundred_signatures_are_compared():
    assert len(SAME) >= 100


def hints(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        leaf.map(lambda t: list[t]),
        leaf.map(lambda t: dict[str, t]),
        st.lists(leaf, min_size=2, max_size=3).map(lambda ts: tuple[tuple(ts)]),
        st.lists(leaf, min_size=2, max_size=3).map(lambda ts: Union[tuple(ts)]),  # noqa: UP007
        leaf.map(lambda t: Optional[t]),  # noqa: UP045
    )


SIMPLE = [int, float, str, bool, Any, list, dict, tuple, Colour, Size, Literal["a", "b"], Literal[1, "x"]]
HINTS = st.recursive(st.sampled_from(SIMPLE), hints, max_leaves=6)
# No colon and no bracket: what those mean in a docstring has its own tests.
WORDS = st.text("abcäß.,;-\"'[]{}", min_size=1, max_size=8)
TEXT = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
BLOCK = st.lists(TEXT, min_size=1, max_size=3)


@given(
    st.dictionaries(st.sampled_from(["a", "b_2", "nights", "x"]), st.tuples(HINTS, BLOCK), min_size=1),
    BLOCK,
    st.none() | st.tuples(HINTS, BLOCK),
)
@settings(derandomize=True)
def test_the_schema_equals_that_of_transformers_for_random_signatures(arguments, description, returns):
    entries = [f"    {name}: " + "\n        ".join(block) for name, (_, block) in arguments.items()]
    doc = "\n".join([*description, "", "Args:", *entries])
    tool_hints = {name: hint for name, (hint, _) in arguments.items()}
    tool = with_hints(tool_hints, doc)
    if returns:
        tool.__annotations__["return"] = returns[0]
        tool.__doc__ += "\n\nReturns:\n    " + "\n    ".join(returns[1])
    assert function_schema(tool) == get_json_schema(tool)


# Where the two differ, and why.


def test_choices_of_a_list_are_for_what_is_in_it():
    # transformers asks that the whole list be "tea", which no list is.
    def order(drinks: list[str]):
        """Order.

        Args:
            drinks: The drinks (choices: ["tea", "coffee"])
        """

    drinks = parameters_of(order)["properties"]["drinks"]
    assert drinks["items"] == {"type": "string", "enum": ["tea", "coffee"]}
    assert accepts(order, drinks=["tea", "tea"])
    assert not accepts(order, drinks=["milk"])


@pytest.mark.parametrize("choices", ["tea, coffee", '"tea"', "[]", "[NaN]"])
def test_choices_that_are_no_list_are_an_error_that_shows_how_to_write_them(choices):
    tool = with_hints({"drink": str}, f"Order.\n\nArgs:\n    drink: The drink (choices: {choices})")
    with pytest.raises(ToolSchemaError, match=r"'tool'.*'drink' has invalid choices.*JSON list") as caught:
        function_schema(tool)
    assert '(choices: ["tea", "coffee"])' in caught.value.hint


def test_further_keywords_make_an_open_object():
    # transformers makes `kwargs` a required argument of its own.
    def search(query: str, **filters: int):
        """Search.

        Args:
            query: What for
            **filters: Narrow it down
        """

    assert parameters_of(search) == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What for"}},
        "required": ["query"],
        "additionalProperties": True,
    }


def test_a_section_name_within_a_sentence_is_no_section():
    # transformers cuts the description at the word, and drops the rest.
    def look():
        """Returns: the price, or Args: nothing."""

    assert function_schema(look)["function"]["description"] == "Returns: the price, or Args: nothing."


def test_a_section_after_returns_is_no_part_of_it():
    # transformers takes all up to `Raises:` for the return value.
    def price() -> float:
        """Ask for the price.

        Returns:
            The price

        Example:
            price()
        """

    assert function_schema(price)["function"]["return"] == {"type": "number", "description": "The price"}


def test_sections_may_come_in_any_order():
    # transformers takes the arguments for a part of the return value.
    def square(a: int) -> int:
        """Square it.

        Returns:
            The square

        Args:
            a: The number
        """

    schema = function_schema(square)["function"]
    assert schema["return"] == {"type": "integer", "description": "The square"}
    assert schema["parameters"]["properties"]["a"]["description"] == "The number"


def test_a_closing_remark_is_no_part_of_the_last_argument():
    doc = parse_docstring("Square it.\n\nArgs:\n    a: The number\n\nThat is all.")
    assert doc.arguments == {"a": "The number"}


def test_types_in_the_docstring_are_read_over():
    doc = parse_docstring("Do it.\n\nArguments:\n  a (int, optional): One\n  b (Tuple(int)): Two (of two)")
    assert doc.arguments == {"a": "One", "b": "Two (of two)"}


def test_an_argument_without_a_text_leaves_the_next_one_alone():
    assert parse_docstring("Do it.\n\nArgs:\n    a:\n    b: Two").arguments == {"b": "Two"}


# What transformers does not take.


def test_missing_descriptions_are_left_out():
    def tool(a: int, b: str = ""):
        pass

    assert function_schema(tool)["function"] == {
        "name": "tool",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": ["a"],
        },
    }


def test_a_parameter_without_annotation_is_anything():
    def tool(a, b=1):
        """Do it.

        Args:
            b: A thing
        """

    assert parameters_of(tool)["properties"] == {"a": {}, "b": {"description": "A thing"}}


def test_name_and_description_can_be_given():
    schema = function_schema(one_string, name="find", description="Find a city.")["function"]
    assert (schema["name"], schema["description"]) == ("find", "Find a city.")
    assert function_schema(one_string, description="")["function"]["description"] == ""


def test_an_annotated_self_is_a_parameter_like_any_other():
    def tool(self: str):
        pass

    assert parameters_of(tool)["required"] == ["self"]


def test_a_partial_and_a_callable_object_have_the_schema_of_what_they_call():
    class Search:
        def __call__(self, query: str):
            """Search.

            Args:
                query: What for
            """

    assert function_schema(Search(), name="s")["function"] == {
        "name": "s",
        "description": "Search.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What for"}},
            "required": ["query"],
        },
    }
    assert function_schema(Search())["function"]["name"] == "Search"
    bound = function_schema(functools.partial(with_a_default, nights=3))["function"]
    assert (bound["name"], bound["parameters"]["required"]) == ("with_a_default", ["city"])


def test_an_injected_parameter_is_hidden_from_the_model():
    def book(nights: int, row: Injected[dict[str, Any]], client: Injected[Any] = None):
        """Book.

        Args:
            nights: How many
        """

    assert injected_names(book) == ("row", "client")
    assert parameters_of(book) == {
        "type": "object",
        "properties": {"nights": {"type": "integer", "description": "How many"}},
        "required": ["nights"],
    }
    assert injected_names(one_string) == ()


def test_an_injected_parameter_may_be_of_any_type_and_optional():
    tool = with_hints({"a": Injected[bytes] | None, "b": Annotated[Injected[object], "a note"], "c": int})
    assert injected_names(tool) == ("a", "b")
    assert list(parameters_of(tool)["properties"]) == ["c"]


def test_a_method_of_a_class_and_a_bound_one_inject_the_same():
    class Env:
        def look(self, row: Injected[dict], at: str): ...

    assert injected_names(Env.look) == injected_names(Env().look) == ("row",)
    assert list(parameters_of(Env.look)["properties"]) == ["at"]


def test_parameters_that_a_call_by_name_cannot_fill_are_refused():
    def many(*cities: str): ...

    def first(city: str, /): ...

    with pytest.raises(ToolSchemaError, match=r"'many' takes '\*cities.*list\[...\]"):
        function_schema(many)
    with pytest.raises(ToolSchemaError, match=r"'first' takes 'city.*named parameter"):
        function_schema(first)


def test_an_annotation_that_cannot_be_resolved_is_an_error_that_names_it():
    def tool(x: "Nowhere"): ...  # noqa: F821

    with pytest.raises(ToolSchemaError, match=r"'tool'.*'Nowhere' is not defined.*TYPE_CHECKING"):
        function_schema(tool)
    with pytest.raises(ToolSchemaError, match=r"'tool'.*'Nowhere' is not defined"):
        injected_names(tool)


def test_a_callable_without_a_signature_is_refused():
    with pytest.raises(ToolSchemaError, match="'iter'"):
        function_schema(builtins.iter)


def test_annotations_postponed_by_the_future_import_are_resolved(tmp_path):
    source = tmp_path / "postponed.py"
    source.write_text(
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "from typing import NotRequired, TypedDict\n"
        "from grpo_env_sdk.tools.function_schema import Injected\n"
        "class Place(TypedDict):\n    city: str\n    zip: NotRequired[str]\n"
        "@dataclasses.dataclass\nclass Link:\n    to: Link | None\n"
        "def go(place: Place, link: Link, row: Injected[dict], days: int | None = None) -> list[str]: ...\n"
    )
    spec = importlib.util.spec_from_file_location("postponed", source)
    module = importlib.util.module_from_spec(spec)
    sys.modules["postponed"] = module
    try:
        spec.loader.exec_module(module)
        parameters = parameters_of(module.go)
        assert injected_names(module.go) == ("row",)
    finally:
        del sys.modules["postponed"]
    assert parameters["required"] == ["place", "link"]
    assert parameters["properties"]["place"]["required"] == ["city"]
    assert parameters["properties"]["link"] == {"$ref": "#/$defs/Link"}
    assert parameters["properties"]["days"] == {"type": "integer", "nullable": True}


def test_schemas_share_nothing_that_a_change_could_spread_by():
    first = function_schema(one_integer)
    first["function"]["parameters"]["properties"]["n"]["type"] = "changed"
    assert function_schema(one_integer) == get_json_schema(one_integer)


def test_importing_it_loads_no_heavy_package():
    heavy = {"pydantic", "numpy", "torch", "transformers", "jsonschema", "annotated_types"}
    script = f"import sys, grpo_env_sdk.tools.function_schema; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
