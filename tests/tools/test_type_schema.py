"""Schemas of types: null as transformers writes it, bounds, and the types that transformers does not take."""

import dataclasses
import datetime
import enum
import json
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, Required, TypedDict

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


def test_null_is_one_more_option_of_what_transformers_cannot_express():
    for hint in (Guest, Room, Address):
        assert schema_of(hint | None) == {"anyOf": [schema_of(hint), {"type": "null"}]}
    assert schema_of(Trip | Guest | None) == {"anyOf": [schema_of(Trip), schema_of(Guest), {"type": "null"}]}


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


@dataclasses.dataclass
class Guest:
    name: str
    age: int | None = None
    tags: list[str] = dataclasses.field(default_factory=list)
    colour: Colour = Colour.RED
    photo_of: datetime.date = datetime.date(2024, 1, 1)
    hidden: bytes = dataclasses.field(default=b"", init=False)


def test_a_dataclass_is_a_closed_object_with_its_defaults():
    assert schema_of(Guest) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer", "nullable": True, "default": None},
            "tags": {"type": "array", "items": {"type": "string"}},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "photo_of": {"type": "string", "format": "date"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


@dataclasses.dataclass
class Trip:
    """A journey.

    Attributes:
        guests: Who comes along
        by: How (choices: ["train", "ship"])
    """

    guests: list[Guest]
    by: str


def test_the_docstring_of_a_dataclass_describes_its_fields():
    schema = schema_of(Trip)
    assert schema["description"] == "A journey."
    assert schema["properties"]["guests"]["description"] == "Who comes along"
    assert schema["properties"]["by"] == {"type": "string", "enum": ["train", "ship"], "description": "How"}
    assert schema["properties"]["guests"]["items"] == schema_of(Guest)


def test_what_the_tool_says_of_an_argument_wins_over_what_its_class_says():
    tool = with_hints({"trip": Trip}, "Book it.\n\nArgs:\n    trip: Where to")
    assert parameters_of(tool)["properties"]["trip"]["description"] == "Where to"


def test_unions_and_lists_of_objects_nest():
    assert schema_of(Trip | Guest) == {"anyOf": [schema_of(Trip), schema_of(Guest)]}
    assert schema_of(list[Guest] | None) == {"type": "array", "items": schema_of(Guest), "nullable": True}


@dataclasses.dataclass
class Node:
    value: int
    children: "list[Node]"
    parent: "Node | None" = None


def test_a_dataclass_that_contains_itself_is_a_definition():
    tool = with_hints({"root": Node, "other": Node | None})
    parameters = parameters_of(tool)
    reference = {"$ref": "#/$defs/Node"}
    assert parameters["properties"]["root"] == reference
    assert list(parameters["$defs"]) == ["Node"]
    assert parameters["$defs"]["Node"]["properties"]["children"] == {"type": "array", "items": reference}
    leaf = {"value": 1, "children": []}
    assert accepts(tool, root={"value": 1, "children": [leaf, {**leaf, "parent": None}]}, other=None)
    assert not accepts(tool, root={"value": 1, "children": [{"value": "one", "children": []}]}, other=leaf)


@dataclasses.dataclass
class Folder:
    files: "list[File]"


@dataclasses.dataclass
class File:
    folder: "Folder | None"
    links: "list[File]"


def test_dataclasses_that_contain_each_other_resolve():
    for first, second in ((Folder, File), (File, Folder)):
        tool = with_hints({"first": first, "second": second})
        folder = {"files": [{"folder": None, "links": [{"folder": {"files": []}, "links": []}]}]}
        file = folder["files"][0]
        good = {"first": folder, "second": file} if first is Folder else {"first": file, "second": folder}
        assert accepts(tool, **good)
        assert not accepts(tool, **{**good, "second": {"files": [{}], "folder": 1, "links": []}})


def test_a_recursive_return_value_brings_its_own_definitions():
    def tool() -> Node:
        """Find the root."""

    schema = function_schema(tool)["function"]
    assert "$defs" not in schema["parameters"]
    assert list(schema["return"]["$defs"]) == ["Node"]


def test_two_recursive_classes_of_one_name_stay_apart():
    def node_of(kind: type) -> type:
        @dataclasses.dataclass
        class Node:
            value: kind
            next: "Node | None" = None

        return Node

    tool = with_hints({"a": node_of(int), "b": node_of(str)})
    assert sorted(parameters_of(tool)["$defs"]) == ["Node", "Node_2"]
    assert accepts(tool, a={"value": 1, "next": {"value": 2}}, b={"value": "1", "next": {"value": "2"}})
    assert not accepts(tool, a={"value": 1}, b={"value": "1", "next": {"value": 2}})


def test_a_class_that_was_given_a_schema_leaves_no_dangling_reference():
    @dataclasses.dataclass
    class Bad:
        child: "Bad | None"
        photo: bytes

    given_schema = Annotated[Bad, {"type": "object"}]
    tool = with_hints({"a": given_schema, "b": given_schema})
    assert parameters_of(tool)["properties"] == {"a": {"type": "object"}, "b": {"type": "object"}}
    assert "$defs" not in parameters_of(tool)


class Address(TypedDict):
    """Where to send it.

    Attributes:
        street: With the number
    """

    street: str
    floor: NotRequired[int]


class Parcel(Address, total=False):
    weight: Required[Annotated[float, annotated_types.Gt(0)]]
    note: str | None


class Later(TypedDict):
    sure: "int"
    perhaps: "NotRequired[list[Later]]"


class Extended(typing_extensions.TypedDict, total=False):
    code: typing_extensions.Required[typing_extensions.ReadOnly[str]]
    extra: int


def test_a_typed_dict_knows_which_keys_are_required():
    assert schema_of(Address) == {
        "type": "object",
        "properties": {
            "street": {"type": "string", "description": "With the number"},
            "floor": {"type": "integer"},
        },
        "required": ["street"],
        "additionalProperties": False,
        "description": "Where to send it.",
    }
    assert sorted(schema_of(Parcel)["required"]) == ["street", "weight"]
    assert schema_of(Parcel)["properties"]["weight"] == {"type": "number", "exclusiveMinimum": 0}
    assert schema_of(Extended)["required"] == ["code"]
    assert schema_of(Extended)["properties"]["code"] == {"type": "string"}


def test_a_typed_dict_may_contain_itself_and_hide_its_keys_in_strings():
    assert parameters_of(with_hints({"x": Later}))["$defs"]["Later"]["required"] == ["sure"]


class Room(pydantic.BaseModel):
    """A room."""

    beds: int = pydantic.Field(ge=1, description="How many beds")
    guest: Guest | None = None


class Branch(pydantic.BaseModel):
    leaves: "list[Branch]" = []
    rooms: list[Room] = []


@dataclasses.dataclass
class Booking:
    room: Room
    branch: Branch


def test_a_pydantic_model_has_the_schema_that_pydantic_gives():
    ours, theirs = parameters_of(with_hints({"room": Room})), Room.model_json_schema()
    assert ours["$defs"] == theirs.pop("$defs")
    assert ours["properties"]["room"] == theirs
    assert accepts(with_hints({"room": Room}), room={"beds": 1, "guest": {"name": "Ada"}})
    assert not accepts(with_hints({"room": Room}), room={"beds": 0})


def test_definitions_of_pydantic_models_resolve_from_wherever_they_are_used():
    tool = with_hints({"bookings": list[Booking], "room": Room | None})
    assert set(parameters_of(tool)["$defs"]) == {"Guest", "Colour", "Branch", "Room"}
    branch = {"leaves": [{"rooms": [{"beds": 2, "guest": {"name": "Ada"}}]}]}
    assert accepts(tool, bookings=[{"room": {"beds": 1}, "branch": branch}], room=None)
    branch["leaves"][0]["rooms"][0]["guest"]["name"] = 1
    assert not accepts(tool, bookings=[{"room": {"beds": 1}, "branch": branch}], room=None)


def test_pydantic_definitions_of_one_name_stay_apart():
    def owner_of(kind: Any) -> Any:
        pet = pydantic.create_model("Pet", name=(kind, ...))
        litter = pydantic.create_model("Litter", pets=(list[pet], ...))
        return pydantic.create_model("Owner", litter=(litter, ...))

    tool = with_hints({"a": owner_of(int), "b": owner_of(str), "c": owner_of(int)})
    assert sorted(parameters_of(tool)["$defs"]) == ["Litter", "Litter_2", "Pet", "Pet_2"]
    ints, texts = ({"litter": {"pets": [{"name": name}]}} for name in (1, "Rex"))
    assert accepts(tool, a=ints, b=texts, c=ints)
    assert not accepts(tool, a=ints, b=ints, c=ints)


def test_a_pydantic_definition_and_a_recursive_dataclass_of_one_name_stay_apart():
    pet = pydantic.create_model("Node", __module__=__name__, name=(str, ...))
    owner = pydantic.create_model("Owner", pet=(pet, ...))
    for tool in (with_hints({"a": owner, "b": Node}), with_hints({"b": Node, "a": owner})):
        assert sorted(parameters_of(tool)["$defs"]) == ["Node", "Node_2"]
        assert accepts(tool, a={"pet": {"name": "Rex"}}, b={"value": 1, "children": []})
        assert not accepts(tool, a={"pet": {"value": 1, "children": []}}, b={"value": 1, "children": []})


def test_a_pydantic_model_without_a_schema_is_refused_by_name():
    model = pydantic.create_model("Holder", call=(Callable[[], int], ...))
    with pytest.raises(ToolSchemaError, match=r"'tool'.*'x'.*Holder") as caught:
        function_schema(with_hints({"x": model}))
    assert "call" in str(caught.value.__cause__) or "Callable" in str(caught.value.__cause__)


UNCARRIABLE = [
    (bytes, "bytes"),
    (Callable[[int], str], "Callable"),
    (Hotel, "Hotel"),
    (complex, "complex"),
    (Decimal, "Decimal"),
    (datetime.timedelta, "timedelta"),
    (list[bytes], "bytes"),
    (dict[str, Hotel] | None, "Hotel"),
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
