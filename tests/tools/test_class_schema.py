"""The schema of a class: dataclasses, typed dicts and models of pydantic, also those that contain themselves."""

import dataclasses
import datetime
from collections.abc import Callable
from typing import Annotated, Any, NotRequired, Required, TypedDict

import annotated_types
import pydantic
import pytest
import typing_extensions

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.function_schema import function_schema
from tests.tools.signatures_compared import Colour, accepts, parameters_of, schema_of, with_hints


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


def test_null_is_one_more_option_of_what_transformers_cannot_express():
    for hint in (Guest, Room, Address):
        assert schema_of(hint | None) == {"anyOf": [schema_of(hint), {"type": "null"}]}
    assert schema_of(Trip | Guest | None) == {"anyOf": [schema_of(Trip), schema_of(Guest), {"type": "null"}]}
