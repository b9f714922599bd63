"""Arguments of calls: checked, explained, and made what a function is annotated with."""

import json
from typing import Any

import pytest

from grpo_env_sdk.data.call_arguments import MAX_ARGUMENT_CHARS
from grpo_env_sdk.data.messages import assistant_message, tool_calls_of
from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.tool import Injected, Tool
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall
from tests.tools.hotel_box import BOX, Room, book_room, error, refusal, run, schema, search_hotels

# Arguments that are not those of the tool


@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        ({}, "", "'city' is a required property"),
        ({"city": None}, "city", "None is not of type 'string'"),
        ({"city": "Lyon", "stars": "two"}, "stars", "'two' is not of type 'integer'"),
        ({"city": "Lyon", "stars": True}, "stars", "True is not of type 'integer'"),
        ({"city": "Lyon", "stars": 2.5}, "stars", "2.5 is not of type 'integer'"),
        ({"city": "Lyon", "order": "size"}, "order", "'size' is not one of ['price', 'stars']"),
        ({"city": "Lyon", "star": 2}, "star", "'star' is not an argument. Did you mean 'stars'?"),
        ({"city": "Lyon", "xyz": 2}, "xyz", "'xyz' is not an argument. It takes: city, stars, order."),
    ],
)
def test_missing_extra_and_mistyped_arguments_are_told_with_their_path(arguments, path, message):
    assert refusal(BOX, "invalid_arguments", "search_hotels", arguments) == {"path": path, "message": message}


def test_the_path_leads_into_lists_and_objects():
    told = refusal(BOX, "invalid_arguments", "book_room", guests=[{"name": "Ada"}, {"name": 5}], nights=1, note=None)
    assert told == {"path": "guests[1].name", "message": "5 is not of type 'string'"}


def test_several_faults_are_told_at_once():
    told = refusal(BOX, "invalid_arguments", "book_room", guests=5, nights="two", note=None)
    assert told["others"] == [{"path": "nights", "message": "'two' is not of type 'integer'"}]
    many = refusal(BOX, "invalid_arguments", "book_room", guests=list(range(10_000)), nights=1, note=None)
    assert len(many["others"]) == 4


def test_a_huge_mistyped_argument_is_told_briefly():
    told = refusal(BOX, "invalid_arguments", "search_hotels", city="Lyon", stars="x" * (MAX_ARGUMENT_CHARS - 100))
    assert len(told["message"]) < 320
    assert told["message"].endswith("is not of type 'integer'")


def test_a_required_argument_that_may_be_null_may_be_null():
    outcome = run(BOX, "book_room", guests=[], nights=1, note=None)
    assert outcome.content == ": 1 nights, None"
    assert refusal(BOX, "invalid_arguments", "book_room", guests=[], nights=1)["message"].startswith("'note' is a req")


def test_arguments_become_what_the_function_is_annotated_with():
    guests = [{"name": "Ada", "born": "1815-12-10"}, {"name": "Bob"}]
    assert run(BOX, "book_room", guests=guests, nights=2.0, note="late").content == "Ada, Bob: 2 nights, late"


def test_a_value_that_its_type_refuses_is_told_with_its_path():
    told = refusal(BOX, "invalid_arguments", "book_room", guests=[{"name": "A", "born": "today"}], nights=1, note=None)
    assert told == {"path": "guests", "message": "Invalid isoformat string: 'today'"}

    def reserve(room: Room) -> str:
        """Reserve."""
        return "done"

    outcome = run(Toolbox([reserve]), "reserve", room={"beds": 3})
    assert error(outcome)["path"] == "room"
    assert "odd numbers of beds do not exist here" in error(outcome)["message"]
    assert "odd numbers" in outcome.detail


def test_a_tool_that_changes_its_arguments_does_not_change_the_transcript():
    def sort_them(names: list[str]) -> str:
        """Sort."""
        names.sort()
        return names.pop()

    message = assistant_message({"tool_calls": [{"name": "sort_them", "arguments": {"names": ["b", "a"]}}]})
    (call,) = tool_calls_of(message)
    assert Toolbox([sort_them]).run(call).content == "b"
    assert call.arguments == {"names": ["b", "a"]}
    assert message["tool_calls"][0]["function"]["arguments"] == {"names": ["b", "a"]}


def test_arguments_of_sixty_levels_can_be_checked_by_a_schema_that_contains_itself():
    tree = {"$defs": {"Tree": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/Tree"}}]}}}
    box = Toolbox([schema(properties={"tree": {"$ref": "#/$defs/Tree"}}, **tree)], fallback=lambda name, args: "read")
    for leaf, error_type in ((1, None), ("x", "invalid_arguments")):
        nested: Any = leaf
        for _ in range(60):
            nested = [nested]
        assert run(box, "look", tree=nested).error == error_type


# Tools given as schemas


def test_schemas_reach_the_model_as_they_are_and_a_fallback_runs_them():
    given_schema = schema(properties={"where": {"type": "string"}}, required=["where"])
    box = Toolbox([given_schema], fallback=lambda name, arguments: [name, arguments])
    assert box.schemas[0] is given_schema
    assert run(box, "look", where="here", more=1).content == '["look", {"where": "here", "more": 1}]'
    assert refusal(box, "invalid_arguments", "look", where=1)["path"] == "where"


def test_a_closed_schema_refuses_other_arguments_with_the_nearest_name():
    box = Toolbox([schema(properties={"where": {}}, additionalProperties=False)], fallback=lambda name, args: 1)
    assert refusal(box, "invalid_arguments", "look", were=1) == {
        "path": "were",
        "message": "'were' is not an argument. Did you mean 'where'?",
    }


def test_a_tool_that_nothing_runs_says_so():
    told = refusal(Toolbox([schema()]), "tool_failed", "look")
    assert told == {"message": "LookupError: nothing runs this tool"}


def test_faults_and_duplicates_are_told_when_the_box_is_made():
    with pytest.raises(ToolSchemaError) as caught:
        Toolbox([schema("a b"), schema(type="array"), search_hotels], whose="hotel")
    assert [fault.split(": ")[0] for fault in caught.value.faults] == [
        "hotel tool 'a b' $.function.name",
        "hotel tool 'look' $.function.parameters.type",
    ]
    for twice in ([schema(), schema()], [search_hotels, schema("search_hotels")], [book_room, book_room]):
        with pytest.raises(ToolSchemaError, match=r"hotel tool '\w+' \$.function.name: also the name of tool 0"):
            Toolbox(twice, whose="hotel")
    with pytest.raises(ToolSchemaError, match="5 is not a tool"):
        Toolbox([5])


# Injected parameters


def price(hotel: str, row: Injected[dict[str, int]], **more: Any) -> int:
    """The price of a hotel."""
    return row[hotel]


@pytest.mark.parametrize("inject", [{"row": {"Ritz": 90}}, {"row": {"Ritz": 90}}.__getitem__])
def test_injected_parameters_are_hidden_and_filled(inject):
    box = Toolbox([price], inject=inject)
    assert "row" not in json.dumps(box.schemas)
    assert run(box, "price", hotel="Ritz").content == "90"


@pytest.mark.parametrize("made", [price, Tool(schema("price", properties={"hotel": {}}), price)])
def test_a_model_that_sends_an_injected_parameter_is_refused(made):
    told = refusal(Toolbox([made], inject={"row": {"Ritz": 90}}), "invalid_arguments", "price", hotel="Ritz", row={})
    assert told == {"path": "row", "message": "'row' is not an argument. It takes: hotel."}


def test_nothing_to_inject_is_a_tool_that_failed():
    assert refusal(Toolbox([price]), "tool_failed", "price", hotel="Ritz") == {
        "message": "LookupError: nothing to inject as 'row'"
    }


@pytest.mark.parametrize(
    ("pattern", "text", "told"),
    [
        ("^[a-z]{3}$", "abc", None),
        ("^[a-z]{3}$", "abcd", "does not match"),
        ("^(a|aa)+$", "a" * 60 + "!", "takes too long to match"),  # years, with the engine of Python
    ],
)
def test_a_pattern_that_would_take_for_ever_is_given_up(pattern, text, told):
    function = {"name": "find", "description": "Find.", "parameters": {
        "type": "object", "properties": {"code": {"type": "string", "pattern": pattern}}, "required": ["code"],
    }}  # fmt: skip
    box = Toolbox([{"type": "function", "function": function}], fallback=lambda name, arguments: "found")
    content = box.run(ToolCall("1", "find", {"code": text})).content
    assert (told or "found") in content
