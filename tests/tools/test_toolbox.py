"""Calls, checked, run and answered: nothing that a model sends, and nothing that a tool does, gets past the box."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_sdk.data.messages import assistant_message, tool_calls_of
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall
from tests.tools.hotel_box import BOX, Guest, error, refusal, run

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
