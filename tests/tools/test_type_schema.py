"""The schema of a type hint: null, plain types, bounds, and what JSON cannot carry."""

import dataclasses
import datetime
import enum
import json
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NewType, Optional

import annotated_types
import pydantic
import pytest
import typing_extensions
from jsonschema import Draft202012Validator
from transformers.utils.chat_template_utils import get_json_schema

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.function_schema import function_schema
from tests.tools.signatures_compared import Colour, Hotel, accepts, parameters_of, schema_of, with_hints

OPTIONALS = [
    int | None,
    list[int | None] | None,
    int | list[int] | None,
    dict[str, int | None],
    Literal["a"] | None,
    Literal["a", None] | None,
    Colour | None,
    Optional[Any],  # noqa: UP045
    datetime.date | None,
    set[int] | None,
    Annotated[int, annotated_types.Ge(1)] | None,
]


@pytest.mark.parametrize("hint", OPTIONALS, ids=str)
def test_null_is_said_as_transformers_says_it_and_let_in(hint):
    assert '"nullable": true' in json.dumps(schema_of(hint))
    inside = {list: [None], dict: {"a": None}}.get(typing.get_origin(hint))
    assert accepts(with_hints({"x": hint}), x=inside)


def test_a_required_argument_may_be_null_but_not_missing_or_of_another_type():
    tool = with_hints({"nights": int | None})
    assert parameters_of(tool)["required"] == ["nights"]
    assert accepts(tool, nights=None)
    assert accepts(tool, nights=3)
    assert not accepts(tool)
    assert not accepts(tool, nights="three")


def test_null_is_let_in_beside_the_values_of_an_enum():
    assert schema_of(Colour | None) == {"type": "string", "enum": ["red", "blue"], "nullable": True}
    tool = with_hints({"colour": Colour | None})
    assert accepts(tool, colour=None)
    assert accepts(tool, colour="red")
    assert not accepts(tool, colour="green")


def test_null_is_let_in_beside_the_choices_of_a_docstring():
    tool = with_hints({"drink": str | None}, 'Order.\n\nArgs:\n    drink: The drink (choices: ["tea"])')
    assert accepts(tool, drink=None)
    assert accepts(tool, drink="tea")
    assert not accepts(tool, drink="milk")


def test_transformers_still_writes_null_in_a_way_that_validators_do_not_know():
    theirs = get_json_schema(with_hints({"x": int | None}, "Do it.\n\nArgs:\n    x: A number"))
    assert theirs["function"]["parameters"]["properties"]["x"]["nullable"] is True
    assert not Draft202012Validator(theirs["function"]["parameters"]).is_valid({"x": None})


PLAIN = [
    (object, {}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.date | None, {"type": "string", "format": "date", "nullable": True}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (Iterable[str], {"type": "array", "items": {"type": "string"}}),
    (MutableSequence, {"type": "array"}),
    (typing.Sequence, {"type": "array"}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (frozenset, {"type": "array", "uniqueItems": True}),
    (typing.AbstractSet[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (Mapping[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    (typing.Mapping, {"type": "object"}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (tuple[str], {"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1}),
    (list[None], {"type": "array", "items": {"type": "null"}}),
    (NewType("Code", str), {"type": "string"}),
    (typing_extensions.TypeAliasType("Codes", list[str]), {"type": "array", "items": {"type": "string"}}),
    (Literal[Colour.RED, 3], {"type": ["string", "integer"], "enum": ["red", 3]}),
    (Literal[True, 1, "x"], {"type": ["boolean", "integer", "string"], "enum": [True, 1, "x"]}),
]


@pytest.mark.parametrize(("hint", "schema"), PLAIN, ids=lambda value: str(value)[:60])
def test_the_schema_of_a_plain_type(hint, schema):
    assert schema_of(hint) == schema


BOUNDED = [
    (Annotated[int, annotated_types.Ge(1), annotated_types.Lt(9)], {"minimum": 1, "exclusiveMaximum": 9}),
    (Annotated[int, annotated_types.Interval(gt=0, le=5)], {"exclusiveMinimum": 0, "maximum": 5}),
    (Annotated[int, annotated_types.MultipleOf(5)], {"multipleOf": 5}),
    (Annotated[int, SimpleNamespace(ge=2)], {"minimum": 2}),
    (Annotated[int, annotated_types.Ge(float("-inf")), print], {}),
    (Annotated[int, pydantic.Field(ge=1, description="Nights")], {"minimum": 1, "description": "Nights"}),
    (Annotated[int, pydantic.Field(json_schema_extra={"examples": [3]})], {"examples": [3]}),
    (Annotated[int, "How many", {"examples": [1]}], {"description": "How many", "examples": [1]}),
    (pydantic.PositiveInt, {"exclusiveMinimum": 0}),
]


@pytest.mark.parametrize(("hint", "keywords"), BOUNDED, ids=lambda value: str(value)[:60])
def test_metadata_of_an_integer_becomes_keywords(hint, keywords):
    assert schema_of(hint) == {"type": "integer", **keywords}


def test_lengths_are_said_in_the_words_of_the_type():
    lengths = annotated_types.Len(1, 3)
    assert schema_of(Annotated[str, lengths]) == {"type": "string", "minLength": 1, "maxLength": 3}
    assert schema_of(Annotated[list, lengths]) == {"type": "array", "minItems": 1, "maxItems": 3}
    assert schema_of(Annotated[dict, lengths]) == {"type": "object", "minProperties": 1, "maxProperties": 3}
    assert schema_of(Annotated[Any, annotated_types.MinLen(2)]) == {
        "minLength": 2,
        "minItems": 2,
        "minProperties": 2,
    }
    either = schema_of(Annotated[str | list[int] | None, annotated_types.MinLen(2)])
    assert (either["minLength"], either["minItems"]) == (2, 2)
    assert schema_of(Annotated[str, pydantic.Field(pattern="^a")]) == {"type": "string", "pattern": "^a"}


def test_bounds_of_an_optional_number_let_null_in():
    bounded = Annotated[int, annotated_types.Ge(1)]
    for hint in (Annotated[int | None, annotated_types.Ge(1)], Optional[bounded]):  # noqa: UP045
        assert schema_of(hint) == {"type": "integer", "nullable": True, "minimum": 1}
        assert accepts(with_hints({"x": hint}), x=None)
        assert not accepts(with_hints({"x": hint}), x=0)


def test_bounds_within_a_list_are_for_its_items():
    stars = Annotated[int, annotated_types.Ge(1)]
    assert schema_of(list[stars])["items"] == {"type": "integer", "minimum": 1}


def test_a_description_in_the_docstring_wins_over_one_in_the_annotation():
    tool = with_hints({"x": Annotated[int, "annotation"]}, "Do it.\n\nArgs:\n    x: docstring")
    assert parameters_of(tool)["properties"]["x"]["description"] == "docstring"


def test_a_schema_in_the_annotation_stands_for_a_type_that_json_cannot_carry():
    assert schema_of(Annotated[Decimal, {"type": "string", "pattern": "^[0-9.]+$"}]) == {
        "type": "string",
        "pattern": "^[0-9.]+$",
    }


UNCARRIABLE = [
    (bytes, "bytes"),
    (Callable[[int], str], "Callable"),
    (Hotel, "Hotel"),
    (complex, "complex"),
    (Decimal, "Decimal"),
    (datetime.timedelta, "timedelta"),
    (list[bytes], "bytes"),
    (dict[str, Hotel] | None, "Hotel"),
    (dict[tuple[int, int], str], r"dict\[tuple\[int, int\], str\]"),
    (Mapping[bool, str], "bool, str"),
    (dict[int | None, str], "None, str"),
    (Annotated[bytes, "raw"], "bytes"),
    (type[int], r"type\[int\]"),
    (typing.TypeVar("S"), "~S"),
    (Literal[b"x"], "Literal"),
    (enum.Enum("Points", {"A": (1, 2)}), "Points"),
    (enum.Enum("Empty", {}), "Empty"),
]


@pytest.mark.parametrize(("hint", "shown"), UNCARRIABLE, ids=lambda value: str(value)[:60])
def test_a_type_that_json_cannot_carry_is_refused_by_name(hint, shown):
    with pytest.raises(ToolSchemaError, match=f"'tool'.*'x'.*{shown}.*JSON cannot express") as caught:
        function_schema(with_hints({"x": hint}))
    assert "Injected[...]" in caught.value.hint


def test_the_error_names_the_field_that_json_cannot_carry():
    @dataclasses.dataclass
    class Album:
        photos: list[bytes]

    with pytest.raises(ToolSchemaError, match=r"'album\.photos' has the type bytes"):
        function_schema(with_hints({"album": Album}))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the `type` statement came with 3.12")
def test_a_type_alias_that_contains_itself_is_a_definition():
    namespace: dict[str, Any] = {}
    exec("type Json = int | str | list[Json] | dict[str, Json]", namespace)
    tool = with_hints({"x": namespace["Json"]})
    assert list(parameters_of(tool)["$defs"]) == ["Json"]
    assert accepts(tool, x={"a": [1, ["b"]]})
    assert not accepts(tool, x=[1.5])
