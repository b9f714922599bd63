"""JSON arguments as the types that a function is annotated with."""

import dataclasses
import datetime
import enum
import functools
import gc
import sys
import weakref
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, TypedDict

import pydantic
import pytest
import typing_extensions

from grpo_env_sdk.tools.argument_types import UnfitArgumentError, convert, convert_arguments
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass(frozen=True)
class Guest:
    name: str
    arrives: datetime.date | None = None


@dataclasses.dataclass(frozen=True)
class Trip:
    guests: list[Guest]
    colour: Colour = Colour.RED


@dataclasses.dataclass
class Node:
    value: int
    child: "Node | None" = None


class Address(TypedDict):
    street: str
    since: NotRequired[datetime.date]


class Room(pydantic.BaseModel):
    beds: int = pydantic.Field(ge=1)
    guest: Guest | None = None


class Codes(pydantic.RootModel[list[int]]):
    pass


DAY = datetime.date(2024, 5, 1)
Code = NewType("Code", Guest)
Party = typing_extensions.TypeAliasType("Party", list[Guest])

REVIVED = [
    (Guest, {"name": "Ada", "arrives": "2024-05-01"}, Guest("Ada", DAY)),
    (Trip, {"guests": [{"name": "Ada"}], "colour": "blue"}, Trip([Guest("Ada")], Colour.BLUE)),
    (Node, {"value": 1, "child": {"value": 2.0}}, Node(1, Node(2))),
    (Address, {"street": "A", "since": "2024-05-01"}, {"street": "A", "since": DAY}),
    (Room, {"beds": 2, "guest": {"name": "Ada"}}, Room(beds=2, guest=Guest("Ada"))),
    (Codes, [1, 2], Codes([1, 2])),
    (Colour, "red", Colour.RED),
    (Literal[Colour.RED, 3], "red", Colour.RED),
    (Literal[Colour.RED, 3], 3, 3),
    (datetime.date, "2024-05-01", DAY),
    (datetime.time, "10:30", datetime.time(10, 30)),
    (datetime.datetime, "2024-05-01T10:30:00Z", datetime.datetime(2024, 5, 1, 10, 30, tzinfo=datetime.UTC)),
    (int, 3.0, 3),
    (float, 3, 3.0),
    (float | None, 3, 3.0),
    (list[float], [1, 2.5], [1.0, 2.5]),
    (list[int], [1.0, 2], [1, 2]),
    (set, [1, 2], {1, 2}),
    (set[Colour], ["red"], {Colour.RED}),
    (frozenset[int], [1, 1.0], frozenset({1})),
    (AbstractSet[str], ["a"], frozenset({"a"})),
    (tuple, [1, "a"], (1, "a")),
    (tuple[int, ...], [1, 2], (1, 2)),
    (tuple[int, int] | tuple[int, ...], [1, 2, 3], (1, 2, 3)),
    (tuple[Guest, datetime.date], [{"name": "Ada"}, "2024-05-01"], (Guest("Ada"), DAY)),
    (Sequence[Guest], [{"name": "Ada"}], [Guest("Ada")]),
    (dict[str, Guest], {"a": {"name": "Ada"}}, {"a": Guest("Ada")}),
    (Mapping[str, datetime.date], {"a": "2024-05-01"}, {"a": DAY}),
    (dict[int, str], {"1": "a", "-2": "b"}, {1: "a", -2: "b"}),
    (Mapping[float, int], {"1.5": 1}, {1.5: 1}),
    (dict[Colour, int], {"red": 1}, {Colour.RED: 1}),
    (dict[Literal[1, "a"], str], {"1": "b", "a": "c"}, {1: "b", "a": "c"}),
    (dict[datetime.date, int], {"2024-05-01": 1}, {DAY: 1}),
    (dict[int | str, int], {"1": 2, "a": 3}, {1: 2, "a": 3}),
    (dict[Annotated[int, "which"], list[dict[int, int]]], {"1": [{"2": 3}]}, {1: [{2: 3}]}),
    (Annotated[Guest, "who"], {"name": "Ada"}, Guest("Ada")),
    (Code, {"name": "Ada"}, Guest("Ada")),
    (Party, [{"name": "Ada"}], [Guest("Ada")]),
    (Optional[Guest], {"name": "Ada"}, Guest("Ada")),  # noqa: UP045
    (Guest | Trip, {"guests": []}, Trip([])),
    (list[int] | list[Guest], [{"name": "Ada"}], [Guest("Ada")]),
    (Guest | list[Guest], [{"name": "Ada"}], [Guest("Ada")]),
    (Guest | dict[str, int], {"name": "Ada"}, Guest("Ada")),
    (Guest | dict, {"nme": "Ada"}, {"nme": "Ada"}),
    (datetime.date | Literal["soon"], "soon", "soon"),
]


@pytest.mark.parametrize(("annotation", "value", "revived"), REVIVED, ids=lambda value: str(value)[:50])
def test_a_value_becomes_what_its_annotation_says(annotation, value, revived):
    made = convert(annotation, value)
    assert made == revived
    assert type(made) is type(revived)


FITTING = [
    (str, "a"),
    (int, 3),
    (float, 3.0),
    (int | float, 3),
    (dict[str, float], {"a": 1.5}),
    (dict[int | str, str], {}),
    (Any, {"a": 1}),
    (object, [1]),
    (dict, {"a": 1}),
    (dict[str, int], {"a": 1}),
    (list[str], ["a"]),
    (list[dict[str, list[str]]], [{"a": ["b"]}]),
    (int | str, "a"),
    (Colour | str, "red"),
    (int | float, 3.0),
    (Guest | None, None),
    (list[int] | str, [1]),
    (Literal["a", 1], "a"),
]


@pytest.mark.parametrize(("annotation", "value"), FITTING, ids=lambda value: str(value)[:50])
def test_a_value_that_fits_is_returned_as_it_is(annotation, value):
    assert convert(annotation, value) is value


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the `type` statement came with 3.12")
def test_a_type_alias_may_contain_itself():
    namespace: dict[str, Any] = {"Guest": Guest}
    exec("type Tree = Guest | list[Tree]", namespace)
    assert convert(namespace["Tree"], [[{"name": "Ada"}]]) == [[Guest("Ada")]]


def book(guest: Guest, day: datetime.date | None = None, note: str = "") -> None: ...


def test_arguments_are_revived_by_name_and_others_kept():
    given = {"guest": {"name": "Ada"}, "note": "2024-05-01", "more": [1]}
    assert convert_arguments(book, given) == {"guest": Guest("Ada"), "note": "2024-05-01", "more": [1]}
    assert given["guest"] == {"name": "Ada"}


@pytest.mark.parametrize(
    ("arguments", "name", "message"),
    [
        ({"guest": {"name": "Ada", "arrives": "soon"}}, "guest", "Invalid isoformat string: 'soon'"),
        ({"guest": {"nme": "Ada"}}, "guest", "unexpected keyword argument 'nme'"),
        ({"day": "2024-02-30"}, "day", "day.* range"),
    ],
)
def test_a_value_that_its_type_refuses_is_an_error_that_names_the_argument(arguments, name, message):
    with pytest.raises(UnfitArgumentError, match=message) as caught:
        convert_arguments(book, arguments)
    assert caught.value.name == name


def test_a_method_a_partial_and_a_callable_object_revive_alike():
    class Desk:
        def book(self, guest: Guest) -> None: ...

        def __call__(self, guest: Guest) -> None: ...

    for function in (Desk().book, Desk.book, functools.partial(book, note="x"), Desk()):
        assert convert_arguments(function, {"guest": {"name": "Ada"}}) == {"guest": Guest("Ada")}


def test_classes_made_within_a_function_find_themselves():
    @dataclasses.dataclass
    class Link:
        to: "Link | None" = None

    def follow(link: Link) -> None: ...

    revived = convert_arguments(follow, {"link": {"to": {}}})
    assert revived == {"link": Link(Link())}


def test_annotations_that_cannot_be_resolved_leave_the_arguments_alone():
    def look(guest: "Nowhere") -> None: ...  # noqa: F821

    assert convert_arguments(look, {"guest": {"name": "Ada"}}) == {"guest": {"name": "Ada"}}
    assert convert_arguments(print, {"sep": "x"}) == {"sep": "x"}


def test_no_instance_is_kept_alive_by_what_is_remembered_of_its_methods():
    class Desk:
        def book(self, guest: Guest) -> None: ...

    desk = Desk()
    convert_arguments(desk.book, {"guest": {"name": "Ada"}})
    seen = weakref.ref(desk)
    del desk
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize(("annotation", "key", "told"), [
    (int, "a", "the key 'a' is not a whole number"), (float, "b", "the key 'b' is not a number"),
    (Literal[1, 2], "3", "the key '3' is none of 1, 2"), (Colour, "pink", "the key 'pink' is none of red"),
    (datetime.date, "soon", "soon"), (int | float, "a", "the key 'a'"),
])  # fmt: skip
def test_a_key_that_does_not_fit_its_annotation_is_told(annotation, key, told):
    with pytest.raises(ValueError, match=told):
        convert(dict[annotation, int], {key: 1})


def test_a_number_that_is_too_large_for_a_float_is_told():
    with pytest.raises(ValueError, match="too large"):
        convert(float, 10**400)


@pytest.mark.parametrize("at", [[1], [1, 2, 3]])
def test_a_tuple_of_another_length_is_an_invalid_argument(at):
    def go(at: tuple[int, int]) -> str:
        """Go."""
        return str(at)

    outcome = Toolbox([go]).run(ToolCall("1", "go", {"at": at}))
    assert outcome.error == "invalid_arguments"
    assert f"needs 2 items, got {len(at)}" in outcome.content


def test_the_types_of_keys_and_floats_reach_a_tool():
    def weigh(grams: float, names: dict[int, str]) -> str:
        """Weigh."""
        return f"{grams!r} {names[1]}"

    box = Toolbox([weigh])
    assert box.run(ToolCall("1", "weigh", {"grams": 2, "names": {"1": "a"}})).content == "2.0 a"
    wrong = box.run(ToolCall("1", "weigh", {"grams": 2, "names": {"x": "a"}}))
    assert wrong.error == "invalid_arguments"
    assert "the key 'x' is not a whole number" in wrong.content
