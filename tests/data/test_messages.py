"""Chat messages in one form, whatever a model, a server or Arrow made of them."""

import json
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from grpo_env_sdk.data.call_arguments import MAX_ARGUMENT_CHARS, parse_arguments, read_arguments
from grpo_env_sdk.data.messages import (
    answer_text,
    assistant_message,
    call_message,
    full_text,
    observation_messages,
    opening_messages,
    raw_text,
    sendable,
    tool_calls_of,
)
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.types import ToolCall


def calls_of(tool_calls: Any, turn: int = 0) -> list[ToolCall]:
    return tool_calls_of(assistant_message({"tool_calls": tool_calls}, turn))


def arguments_of(arguments: Any) -> Any:
    (call,) = calls_of([{"function": {"name": "book", "arguments": arguments}}])
    return call.arguments


# Actions


def test_text_is_what_the_assistant_says():
    assert assistant_message("Hello.") == {"role": "assistant", "content": "Hello."}


def test_a_message_keeps_its_keys_but_those_that_are_none():
    given = {"role": None, "content": "Hi", "reasoning_content": "Hm", "name": None, "tool_calls": None}
    assert assistant_message(given) == {"role": "assistant", "content": "Hi", "reasoning_content": "Hm"}
    assert assistant_message({"content": None}) == {"role": "assistant", "content": ""}


@pytest.mark.parametrize("action", [None, 5, ["Hi"], {"role": "user", "content": "Hi"}, b"Hi"])
def test_what_is_no_action_is_an_error_that_shows_it(action):
    with pytest.raises(ContractError, match="An action must be text or an assistant message, got ") as caught:
        assistant_message(action)
    assert 'Give {"role": "assistant", "content": ...}.' in str(caught.value)


def test_the_error_is_short_whatever_the_action():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    for action in (deep, ["x" * 10**6] * 100):
        with pytest.raises(ContractError) as caught:
            assistant_message(action)
        assert len(str(caught.value)) < 300


def test_half_a_surrogate_pair_never_leaves_a_message():
    message = assistant_message(
        {
            "content": "a\ud800",
            "reasoning_content": "\udfffb",
            "tool_calls": [{"id": "\ud800", "function": {"name": "n\ud800", "arguments": '{"a": "\ud800"}'}}],
        }
    )
    json.dumps(message, ensure_ascii=False).encode()
    assert (message["content"], message["reasoning_content"]) == ("a?", "?b")
    assert tool_calls_of(message) == [ToolCall("?", "n?", {"a": "?"})]
    assert sendable("größer 😀") == "größer 😀"


# Tool calls


def test_a_call_has_one_form_whatever_was_given():
    wanted = ToolCall("call_2_0", "book", {"nights": 2})
    for given in (
        {"type": "function", "function": {"name": "book", "arguments": '{"nights": 2}'}},
        {"function": {"name": "book", "arguments": {"nights": 2}}, "id": None, "index": 0},
        {"name": "book", "arguments": {"nights": 2}},
        {"name": "book", "arguments": '{"nights": 2}', "function": None},
        MappingProxyType({"name": "book", "arguments": OrderedDict(nights=2)}),
    ):
        assert calls_of([given], turn=2) == [wanted]
        assert calls_of((given,), turn=2) == [wanted]
        assert calls_of(given, turn=2) == [wanted]


def test_ids_are_kept_and_missing_ones_assigned():
    calls = calls_of([{"name": "a", "id": "x"}, {"name": "b"}, {"name": "c", "id": ""}, {"name": "d", "id": 7}], turn=1)
    assert [call.id for call in calls] == ["x", "call_1_1", "call_1_2", "call_1_3"]


@pytest.mark.parametrize("nothing", [None, [], (), {}, "", 0, False])
def test_no_calls_are_no_key(nothing):
    assert "tool_calls" not in assistant_message({"tool_calls": nothing})


@pytest.mark.parametrize("arguments", ["", "  ", "{}", {}, None])
def test_no_arguments_are_an_empty_object(arguments):
    assert arguments_of(arguments) == {}


def test_the_arguments_of_a_message_are_its_own():
    given = {"guests": [{"name": "Ada"}]}
    message = assistant_message({"tool_calls": [{"name": "book", "arguments": given}]})
    tool_calls_of(message)[0].arguments["guests"].append("Bob")
    given["guests"].clear()
    assert tool_calls_of(message)[0].arguments == {"guests": [{"name": "Ada"}]}


@pytest.mark.parametrize("text", ["{", "city=Lyon", "[1]", "null", '"{}"', '{"a": NaN}', '{"a": 1e999}', "{'a': 1}"])
def test_arguments_that_are_no_json_object_stay_text(text):
    assert arguments_of(text) == text
    assert parse_arguments(text) == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([1, 2], "[1, 2]"),
        (5, "5"),
        ({"a": float("nan")}, '{"a": NaN}'),
        ({"a": float("-inf")}, '{"a": -Infinity}'),
        ({"a": "\ud800"}, '{"a": "\\ud800"}'),
        ({"a": {1, 2}}, "{'a': {1, 2}}"),
        ({1: "a"}, "{1: 'a'}"),
        ({(1, 2): "a"}, "{(1, 2): 'a'}"),
        (b"{}", "b'{}'"),
        (np.int64(3), "np.int64(3)"),
    ],
)
def test_python_values_that_are_no_json_object_become_text_that_is_none_either(arguments, text):
    assert arguments_of(arguments) == text
    with pytest.raises(ValueError, match="are not"):
        read_arguments(text)


@pytest.mark.parametrize("call", [None, 5, "book(2)", [1], {"name": 7}, {"function": "book"}, object()])
def test_a_call_without_a_name_keeps_its_text(call):
    (made,) = calls_of([call])
    assert made.name == ""
    assert isinstance(made.arguments, str)


@pytest.mark.parametrize("calls", [np.array([1, 2]), np.array([]), {1}, b"x", object()])
def test_calls_that_are_no_list_are_one_unreadable_call(calls):
    (made,) = calls_of(calls)
    assert made.name == ""


def test_calls_are_read_from_messages_that_others_made():
    call = {"type": "function", "function": {"name": "book", "arguments": '{"nights": 2}'}}
    assert tool_calls_of({"role": "assistant", "tool_calls": [call]}) == [ToolCall("call_0_0", "book", {"nights": 2})]
    assert tool_calls_of({"role": "assistant", "tool_calls": None}) == []
    assert tool_calls_of({"role": "assistant"}) == []


def test_a_call_can_be_written_in_a_line():
    message = assistant_message(call_message("book", name="Ada", nights=2), turn=3)
    assert tool_calls_of(message) == [ToolCall("call_3_0", "book", {"name": "Ada", "nights": 2})]


# Arguments


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{", r"are not JSON \(Expecting property name.*: line 1 column 2.*\): '{'"),
        ("[1]", r"are not a JSON object: \[1\]"),
        ('{"a": {"b": [1, NaN]}}', r"are not JSON: \$.a.b\[1\]: nan \(float\) is not JSON"),
        ('{"a": "\\ud83d"}', r"are not JSON: \$.a: '\\ud83d' \(str\) is not JSON"),
        ({"a": 10**5000}, r"are not JSON: \$.a: <int> \(int\) is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", r"are not JSON \(Exceeds the limit"),
        ({None: 1}, r"are not JSON: \$: the key None is not text"),
        ("[" * 10_000, "are nested more than 64 levels deep|are not JSON"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested more than 64 levels deep"),
        ("x" * (MAX_ARGUMENT_CHARS + 1), "have 1000001 characters; at most 1000000 are allowed"),
        ({"a": "x" * 10_000_000}, "have 10000008 characters; at most 1000000 are allowed"),
    ],
    ids=lambda value: str(type(value)),
)
def test_why_arguments_are_none_is_said_briefly(arguments, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        read_arguments(arguments)
    assert len(str(caught.value)) < 400


def test_objects_nested_ten_thousand_levels_deep_are_told_so():
    deep: Any = 1
    for _ in range(10_000):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="nested more than 64 levels deep"):
        read_arguments(deep)
    circle: dict[str, Any] = {}
    circle["a"] = circle
    with pytest.raises(ValueError, match=r"\$.a: contains itself"):
        read_arguments(circle)
    assert isinstance(arguments_of(deep), str)
    assert isinstance(arguments_of(circle), str)


def test_arguments_of_sixty_levels_are_read():
    text = '{"a":' * 60 + "1" + "}" * 60
    assert read_arguments(read_arguments(text)) == json.loads(text)


# Observations


def test_an_observation_is_text_a_message_or_several():
    assert observation_messages("Lower.") == [{"role": "user", "content": "Lower."}]
    assert observation_messages("") == []
    told = {"role": "tool", "content": "5"}
    assert observation_messages(told) == observation_messages([told]) == observation_messages((told,)) == [told]
    assert observation_messages(told)[0] is not told


@pytest.mark.parametrize("observation", [None, 5, ["Lower."], [{"content": "Lower."}], np.zeros(3)])
def test_what_is_no_observation_is_an_error_that_shows_it(observation):
    with pytest.raises(ContractError, match="An observation must be text, an image or a list of messages, got "):
        observation_messages(observation)


SYSTEM, ASKED = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Guess."}
SHOWN = {"role": "user", "content": [{"type": "image"}]}


@pytest.mark.parametrize(
    ("prompt", "observation", "opening"),
    [
        ([SYSTEM, ASKED], "", [SYSTEM, ASKED]),
        ([SYSTEM, ASKED], [SYSTEM, ASKED], [SYSTEM, ASKED]),
        ([SYSTEM, ASKED], "Guess.", [SYSTEM, ASKED]),
        ([SYSTEM, ASKED], [SYSTEM, ASKED, SHOWN], [SYSTEM, ASKED, SHOWN]),
        ([ASKED], "From 1 to 9.", [{"role": "user", "content": "Guess.\n\nFrom 1 to 9."}]),
        ([SYSTEM], "From 1 to 9.", [SYSTEM, {"role": "user", "content": "From 1 to 9."}]),
        ([SHOWN], "A 9?", [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "A 9?"}]}]),
        ([ASKED], [SHOWN], [ASKED, SHOWN]),
        ([], "Guess.", [ASKED]),
    ],
)
def test_an_episode_opens_with_the_prompt_and_what_reset_adds(prompt, observation, opening):
    before = json.dumps(prompt)
    assert opening_messages(prompt, observation) == opening
    assert json.dumps(prompt) == before


# What was written


def test_raw_text_has_thoughts_and_calls_as_a_model_writes_them():
    completion = [
        {"role": "assistant", "reasoning_content": "Hm.", "content": "Let me see.", "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": [{"name": "look", "arguments": {"where": "dä"}}]},
        {"role": "tool", "content": "5"},
        {"role": "assistant", "content": [{"type": "text", "text": "It is "}, {"text": 5}, "x", {"text": "five."}]},
    ]
    assert raw_text(completion) == (
        "<think>\nHm.\n</think>\n\nLet me see.\n"
        '<tool_call>\n{"name": "look", "arguments": {"where": "dä"}}\n</tool_call>\n'
        "It is five."
    )
    assert full_text(completion) == raw_text(completion)
    assert full_text("as it stands") == "as it stands"


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("4", "4"),
        ("<think>2 + 2</think> 4", "4"),
        ("2 + 2 is\n</think>\n\n4\n", "4"),
        ([{"role": "assistant", "content": "3"}, {"role": "assistant", "content": "<think>no</think>4"}], "4"),
        ('<tool_call>\n{"name": "add"}\n</tool_call>\n4', "4"),
        ([{"role": "assistant", "content": "4", "tool_calls": [{"name": "add"}]}], ""),
        ([{"role": "assistant", "content": "4"}, {"role": "user", "content": "Right."}], "4"),
        ({"role": "assistant", "content": "<think>no</think>4"}, "4"),
        ([{"role": "user", "content": "4"}], ""),
        ("<think>so 42", ""),
        ([], ""),
    ],
)
def test_the_answer_is_what_comes_after_the_thoughts(completion, answer):
    assert answer_text(completion) == answer
