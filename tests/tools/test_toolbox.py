"""Calls, checked, run and answered: nothing that a model sends, and nothing that a tool does, gets past the box."""

import asyncio
import dataclasses
import datetime
import json
import sys
import threading
import time
from typing import Any, Literal

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_sdk.data.messages import MAX_ARGUMENT_CHARS, assistant_message, tool_calls_of
from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.tool import Injected, Tool, tool
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall, ToolOutcome


@dataclasses.dataclass
class Guest:
    name: str
    born: datetime.date | None = None


class Room(pydantic.BaseModel):
    beds: int

    @pydantic.field_validator("beds")
    @classmethod
    def even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("odd numbers of beds do not exist here")
        return value


def search_hotels(city: str, stars: int | None = 1, order: Literal["price", "stars"] = "price") -> Any:
    """Find hotels."""
    return {"city": city, "stars": stars, "order": order}


def book_room(guests: list[Guest], nights: int, note: str | None) -> str:
    """Book a room."""
    return f"{', '.join(guest.name for guest in guests)}: {nights} nights, {note}"


BOX = Toolbox([search_hotels, book_room])


def run(box: Toolbox, name: str, arguments: Any = None, /, **given: Any) -> ToolOutcome:
    return box.run(ToolCall("1", name, given if arguments is None else arguments))


def error(outcome: ToolOutcome) -> dict[str, Any]:
    """What the model is told of an error, checked to be whole."""
    told = json.loads(outcome.content)["error"]
    assert told["type"] == outcome.error
    assert told["message"]
    return {key: value for key, value in told.items() if key != "type"}


def refusal(box: Toolbox, kind: str, name: str, arguments: Any = None, /, **given: Any) -> dict[str, Any]:
    outcome = run(box, name, arguments, **given)
    assert outcome.error == kind, outcome.content
    return error(outcome)


# What comes back


def test_a_result_is_answered_in_json():
    outcome = run(BOX, "search_hotels", city="Lyon", stars=2)
    assert json.loads(outcome.content) == {"city": "Lyon", "stars": 2, "order": "price"}
    assert (outcome.error, outcome.detail) == (None, None)
    assert outcome.seconds > 0


@pytest.mark.parametrize("text", ["Done.", "", '{"already": "JSON"}', "größer 😀\n\x00", '"quoted"'])
def test_a_text_passes_as_it_stands(text):
    def say() -> str:
        """Say it."""
        return text

    assert run(Toolbox([say]), "say").content == text


@pytest.mark.parametrize(
    ("value", "content"),
    [(None, "null"), (True, "true"), (2.5, "2.5"), ([1, "ä"], '[1, "ä"]'), ((1,), "[1]"), ({1: None}, '{"1": null}')],
)
def test_every_other_value_is_written_as_json(value, content):
    def give():
        """Give it."""
        return value

    assert run(Toolbox([give]), "give").content == content


def circle() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


class Spiteful(dict):
    def items(self):
        raise KeyError("not today")


def deep() -> list[Any]:
    made: list[Any] = []
    for _ in range(100_000):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: {1, 2}, "Object of type set is not JSON serializable"),
        (lambda: b"x", "Object of type bytes is not JSON serializable"),
        (lambda: Guest("Ada"), "Object of type Guest is not JSON serializable"),
        (lambda: float("nan"), "Out of range float values are not JSON compliant"),
        (lambda: {(1, 2): 3}, "keys must be str, int, float, bool or None, not tuple"),
        (circle, "Circular reference detected"),
        (deep, "recursion"),
        (lambda: (number for number in range(3)), "Object of type generator is not JSON serializable"),
        (lambda: 10**5000, "Exceeds the limit"),
        (lambda: Spiteful(a=1), "KeyError: 'not today'"),
    ],
)
def test_a_result_that_is_no_json_is_a_tool_that_failed(make, why):
    def give():
        """Give it."""
        return make()

    message = refusal(Toolbox([give]), "tool_failed", "give")["message"]
    assert message.startswith("The result of 'give' is not JSON: ")
    assert why in message


def test_half_a_surrogate_pair_never_reaches_the_model():
    def say(text: str) -> str:
        """Say it."""
        return text + "\ud800"

    assert run(Toolbox([say]), "say", text="a").content == "a?"

    def fail() -> None:
        """Fail."""
        raise ValueError("\ud800")

    outcome = run(Toolbox([fail]), "fail")
    (outcome.content + outcome.detail).encode()
    for name, arguments in (("say\ud800", {}), ("say", {"text": 1, "\ud800": 2}), ("say", '{"text": "\ud800"')):
        run(Toolbox([say]), name, arguments).content.encode()


def test_a_result_that_is_too_large_is_answered_with_its_size():
    def list_all() -> str:
        """List all."""
        return "x" * 101

    box = Toolbox([list_all], max_result_chars=100)
    assert refusal(box, "result_too_large", "list_all") == {
        "message": "The result has 101 characters; at most 100 are allowed. Ask for less."
    }
    assert run(Toolbox([list_all], max_result_chars=101), "list_all").error is None


def test_the_outcome_is_a_message_that_answers_its_call():
    outcome = BOX.run(ToolCall("call_0_1", "search_hotels", {"city": "Lyon"}))
    message = outcome.as_message()
    assert (message["role"], message["tool_call_id"], message["name"]) == ("tool", "call_0_1", "search_hotels")


# Which tool


def test_an_unknown_tool_is_answered_with_the_nearest_name():
    assert refusal(BOX, "unknown_tool", "search_hotel") == {
        "message": "No tool named 'search_hotel'. Did you mean 'search_hotels'?"
    }


def test_an_unknown_tool_that_resembles_none_is_answered_with_all_names():
    assert refusal(BOX, "unknown_tool", "x") == {"message": "No tool named 'x'. There are: search_hotels, book_room."}
    assert refusal(Toolbox([]), "unknown_tool", "x") == {"message": "No tool named 'x'. There are: none."}


def test_a_name_of_any_length_is_answered_briefly():
    assert len(refusal(BOX, "unknown_tool", "x" * 10**7)["message"]) < 200


def test_a_call_without_a_name_is_malformed():
    assert refusal(BOX, "malformed_call", "", "search_hotels(city='Lyon')") == {
        "message": "The call names no tool: \"search_hotels(city='Lyon')\". There are: search_hotels, book_room."
    }


# Arguments that are no JSON object


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('{"city": "Lyon"', "The arguments are not JSON (Expecting ',' delimiter: line 1 column 16 (char 15)): "),
        ("city=Lyon", "The arguments are not JSON (Expecting value: line 1 column 1 (char 0)): 'city=Lyon'. "),
        ('["Lyon"]', "The arguments are not a JSON object: ['Lyon']. "),
        ('{"city": NaN}', "The arguments are not JSON: $.city: nan (float) is not JSON. "),
        ({"city": float("inf")}, "The arguments are not JSON: $.city: inf (float) is not JSON. "),
        ({"city": {1}}, "The arguments are not JSON: $.city: {1} (set) is not JSON. "),
        ({1: "Lyon"}, "The arguments are not JSON: $: the key 1 is not text. "),
        ("[" * 10_000_000, "The arguments have 10000000 characters; at most 1000000 are allowed. "),
        ('{"city": "' + "x" * 10_000_000 + '"}', "The arguments have 10000012 characters; at most 1000000 "),
        ({"city": "x" * 10_000_000}, "The arguments have 10000011 characters; at most 1000000 are allowed. "),
    ],
    ids=lambda value: f"{value!r:.20}",
)
def test_arguments_that_are_no_json_object_are_a_malformed_call(arguments, message):
    told = refusal(BOX, "malformed_call", "search_hotels", arguments)["message"]
    assert told.startswith(message)
    assert told.endswith("Send one JSON object.")
    assert len(told) < 400


def test_ten_thousand_levels_are_answered_as_text_and_as_objects():
    text = '{"city": ' + '{"a":' * 10_000 + "1" + "}" * 10_001
    objects: Any = 1
    for _ in range(10_000):
        objects = {"a": objects}
    for arguments in (text, {"city": objects}, objects):
        for call in tool_calls_of(
            assistant_message({"tool_calls": [{"name": "search_hotels", "arguments": arguments}]})
        ):
            assert error(BOX.run(call))["message"].endswith("Send one JSON object.")
        assert (
            "nested more than 64 levels deep" in refusal(BOX, "malformed_call", "search_hotels", arguments)["message"]
        )


def test_a_text_that_is_a_json_object_after_all_is_taken():
    assert run(BOX, "search_hotels", '{"city": "Lyon"}').error is None
    assert refusal(BOX, "invalid_arguments", "search_hotels", "")["message"] == "'city' is a required property"


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


def schema(name: str = "look", **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}


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


# Tools that fail


class Stubborn(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (ValueError("no such city"), "ValueError: no such city"),
        (KeyError("Lyon"), "KeyError: 'Lyon'"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError("gone"), "CancelledError: gone"),
        (StopIteration(), "StopIteration: "),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (MemoryError(), "MemoryError: "),
        (Stubborn(), "Stubborn: <its text cannot be read: RuntimeError>"),
        (ValueError("x" * 10**6), "ValueError: " + "x" * 988),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_whatever_a_tool_raises_is_answered(raised, message, timeout):
    def fail() -> None:
        """Fail."""
        raise raised

    outcome = run(Toolbox([fail], timeout=timeout), "fail")
    assert outcome.error == "tool_failed"
    assert error(outcome)["message"] == message
    assert "test_toolbox.py" in outcome.detail
    assert "test_toolbox.py" not in outcome.content


def test_a_tool_that_exits_is_answered():
    def leave() -> None:
        """Leave."""
        sys.exit("goodbye")

    assert refusal(Toolbox([leave]), "tool_failed", "leave") == {"message": "SystemExit: goodbye"}


def test_a_tool_that_recurses_without_end_is_answered():
    def again() -> Any:
        """Again."""
        return again()

    assert refusal(Toolbox([again]), "tool_failed", "again")["message"].startswith("RecursionError: ")


def test_a_keyboard_interrupt_is_no_answer():
    def interrupted() -> None:
        """Be interrupted."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Toolbox([interrupted]), "interrupted")


# Deadlines


def test_a_tool_that_runs_out_of_time_is_answered():
    release = threading.Event()

    def hang() -> None:
        """Hang."""
        release.wait(10)

    began = time.perf_counter()
    told = refusal(Toolbox([hang], timeout=0.05), "timeout", "hang")
    release.set()
    assert told == {"message": "The tool 'hang' did not come back within 0.05 s."}
    assert time.perf_counter() - began < 5


def test_the_deadline_of_a_tool_wins_over_that_of_its_box():
    @tool(timeout=0.05)
    def hang() -> None:
        """Hang."""
        time.sleep(5)

    assert "0.05 s" in refusal(Toolbox([hang], timeout=60), "timeout", "hang")["message"]


def test_a_timeout_of_the_tools_own_is_told_in_its_words():
    def ask() -> None:
        """Ask."""
        raise TimeoutError("the server is slow")

    assert refusal(Toolbox([ask]), "timeout", "ask") == {
        "message": "The tool ran out of time. TimeoutError: the server is slow"
    }


# Async tools


async def wait_for_it(seconds: float, answer: str) -> str:
    """Wait, then answer."""
    await asyncio.sleep(seconds)
    return answer


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_async_tool_is_awaited(timeout):
    assert run(Toolbox([wait_for_it], timeout=timeout), "wait_for_it", seconds=0, answer="here").content == "here"


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_async_tool_is_awaited_where_a_loop_already_runs(timeout):
    async def main() -> ToolOutcome:
        return run(Toolbox([wait_for_it], timeout=timeout), "wait_for_it", seconds=0, answer="here")

    assert asyncio.run(main()).content == "here"


def test_an_async_tool_that_runs_out_of_time_is_cancelled():
    cancelled = threading.Event()

    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(10)
        finally:
            cancelled.set()

    assert refusal(Toolbox([hang], timeout=0.05), "timeout", "hang")["message"]
    assert cancelled.wait(5)


@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(1), asyncio.CancelledError()], ids=repr)
def test_an_async_tool_that_raises_is_answered(raised):
    async def fail() -> None:
        """Fail."""
        raise raised

    async def inside_a_loop() -> ToolOutcome:
        return run(box, "fail")

    for box in (Toolbox([fail]), Toolbox([fail], timeout=5)):
        assert run(box, "fail").error == "tool_failed"
        assert asyncio.run(inside_a_loop()).error == "tool_failed"


def test_a_fallback_may_be_async():
    async def call_tool(name: str, arguments: dict[str, Any]) -> str:
        return f"{name} {arguments}"

    assert run(Toolbox([schema()], fallback=call_tool), "look", a=1).content == "look {'a': 1}"


# Anything at all


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None), max_size=5),
    st.sampled_from(["search_hotels", "book_room", "", '{"city": "Lyon"}', "{", "[1]", "Lyon", "null"]),
    st.binary(max_size=3),
    st.builds(Unprintable),
    st.builds(set),
    st.builds(lambda: 10**5000),
)
KEYS = st.sampled_from(["id", "type", "function", "name", "arguments", "city", "stars", "guests", "nights", "note"])
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(KEYS, inner, max_size=4),
        st.dictionaries(st.one_of(st.text(st.characters(codec=None), max_size=3), st.integers(), st.none()), inner),
    ),
    max_leaves=10,
)
NAMES = st.one_of(st.sampled_from(["search_hotels", "book_room"]), ANYTHING)
CALLS = st.one_of(
    ANYTHING,
    st.lists(st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": NAMES, "arguments": ANYTHING})})),
)


@given(CALLS)
@settings(max_examples=200)
def test_no_tool_call_of_any_shape_crashes_the_box(tool_calls):
    message = assistant_message({"role": "assistant", "content": "", "tool_calls": tool_calls})
    for call in tool_calls_of(message):
        outcome = BOX.run(call)
        json.dumps(outcome.as_message(), ensure_ascii=False).encode()
        assert outcome.error is None or error(outcome)
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
    assert tool_calls_of(message) == tool_calls_of(json.loads(json.dumps(message)))


@given(ANYTHING)
@settings(max_examples=100)
def test_a_tool_may_return_anything(value):
    def give() -> Any:
        """Give it."""
        return value

    outcome = run(Toolbox([give]), "give")
    outcome.content.encode()
    assert outcome.error in (None, "tool_failed")


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
