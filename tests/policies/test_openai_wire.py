import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.policies import PolicyError, Request, Sampling
from grpo_env_sdk.policies.openai_wire import error_text, is_overflow, request_body, turn_from

USER = {"role": "user", "content": "Hi"}
TOOL = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"type": "object"}, "return": {"type": "string"}},
}


def body(messages=(USER,), tools=(), **sampling):
    return json.loads(request_body("m", Request(list(messages), tools, Sampling(**sampling))))


def answer(message=None, finish="stop", usage=None, **choice):
    said = {"role": "assistant", "content": "hi"} if message is None else message
    return {"choices": [{"index": 0, "finish_reason": finish, "message": said, **choice}], "usage": usage}


# What is sent.


def test_a_request_says_only_what_was_asked_for():
    assert body().keys() == {"model", "messages", "seed"}
    full = body(temperature=0.0, top_p=0.9, max_tokens=5, logprobs=True, seed=1)
    assert {key: full[key] for key in ("temperature", "top_p", "max_tokens", "logprobs")} == {
        "temperature": 0.0, "top_p": 0.9, "max_tokens": 5, "logprobs": True,
    }  # fmt: skip


def test_extra_fields_are_added_and_win_and_none_leaves_a_field_out():
    sent = body(temperature=0.5, extra={"top_k": 3, "temperature": 1.0, "seed": None})
    assert (sent["top_k"], sent["temperature"]) == (3, 1.0)
    assert "seed" not in sent


def test_tools_are_offered_without_what_strict_servers_refuse():
    (tool,) = body(tools=[TOOL])["tools"]
    assert tool == {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
    assert "return" in TOOL["function"]
    assert "tools" not in body()


def test_a_transcript_is_sent_in_openais_form():
    call = assistant_message(call_message("look_up", name="人"), 0)
    result = {"role": "tool", "tool_call_id": "call_0_0", "name": "look_up", "content": "{}"}
    thought = assistant_message({"content": "x", "reasoning_content": "long"})
    sent = body([USER, call, result, thought])["messages"]
    assert sent[1]["tool_calls"] == [
        {"id": "call_0_0", "type": "function", "function": {"name": "look_up", "arguments": '{"name": "人"}'}}
    ]
    assert sent[2] == {"role": "tool", "tool_call_id": "call_0_0", "content": "{}"}
    assert sent[3] == {"role": "assistant", "content": "x"}


def test_arguments_that_were_no_json_are_sent_as_json_all_the_same():
    broken = assistant_message({"tool_calls": [{"function": {"name": "f", "arguments": '{"a": '}}]})
    (call,) = body([USER, broken])["messages"][1]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"unreadable": '{"a": '}


def test_half_a_surrogate_pair_does_not_stop_a_request():
    assert body([{"role": "user", "content": "\ud83d"}])["messages"][0]["content"] == "?"


def test_the_requests_of_an_episode_are_those_of_each_transcript_alone():
    call = assistant_message(call_message("look_up", name="Ada"), 0)
    result = {"role": "tool", "tool_call_id": "call_0_0", "name": "look_up", "content": "12"}
    memory = {}
    for messages in ([USER], [USER, call, result], [result], [USER, result], [USER, call, result, call]):
        together = request_body("m", Request(messages, [TOOL], memory=memory))
        assert together == request_body("m", Request(messages, [TOOL]))


def test_a_message_that_was_changed_is_sent_as_it_is_now():
    message, memory = assistant_message(call_message("look_up", name="Ada"), 0), {}
    request_body("m", Request([USER, message], memory=memory))
    message["tool_calls"][0]["function"]["arguments"]["name"] = "Bob"
    sent = json.loads(request_body("m", Request([USER, message], memory=memory)))
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"name": "Bob"}'


def test_extra_messages_and_tools_replace_those_of_the_episode():
    sent = body(tools=[TOOL], extra={"messages": [], "tools": [{"type": "web_search"}]})
    assert (sent["messages"], sent["tools"]) == ([], [{"type": "web_search"}])


# What comes back.


def recorded(given, turn=0):
    """The message as an episode records it."""
    return assistant_message(turn_from(given).message, turn)


def test_an_answer_is_a_turn():
    turn = turn_from(answer(usage={"prompt_tokens": 7, "completion_tokens": 2}))
    assert turn.message == {"role": "assistant", "content": "hi"}
    assert (turn.finish_reason, turn.prompt_tokens, turn.completion_tokens) == ("stop", 7, 2)
    assert (turn.token_ids, turn.logprobs) == (None, None)


@pytest.mark.parametrize(("message", "expected"), [
    ({"content": None}, {"content": ""}),
    ({}, {"content": ""}),
    ({"content": "4", "reasoning_content": "2+2"}, {"content": "4", "reasoning_content": "2+2"}),
    ({"content": "4", "reasoning": "2+2"}, {"content": "4", "reasoning_content": "2+2"}),
    ({"content": None, "refusal": "No."}, {"content": "No."}),
    ({"content": [{"type": "text", "text": "a"}, {"text": "b"}, {"type": "image"}, 3]}, {"content": "ab"}),
    ({"content": "\ud83d"}, {"content": "?"}),
    ({"content": "x", "tool_calls": []}, {"content": "x"}),
    ({"content": "x", "tool_calls": None, "reasoning": {"a": 1}}, {"content": "x"}),
])  # fmt: skip
def test_a_message_is_understood_in_every_form(message, expected):
    assert recorded(answer(message)) == {"role": "assistant", **expected}


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}])
def test_several_calls_are_kept_in_order_with_their_ids(arguments):
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}} for id in ("x", "y", None)
    ]
    message = recorded(answer({"content": None, "tool_calls": calls}, "tool_calls"), 3)
    assert [(call["id"], call["function"]["arguments"]) for call in message["tool_calls"]] == [
        ("x", {"a": 1}), ("y", {"a": 1}), ("call_3_2", {"a": 1}),
    ]  # fmt: skip


def test_arguments_that_are_no_json_keep_their_text():
    calls = [{"id": "x", "function": {"name": "f", "arguments": '{"a": '}}]
    assert recorded(answer({"tool_calls": calls}))["tool_calls"][0]["function"]["arguments"] == '{"a": '


@pytest.mark.parametrize("wrong", [
    None, 7, "text", [], {}, {"choices": None}, {"choices": []}, {"choices": {}}, {"choices": ["x"]},
    {"choices": [{}]}, {"choices": [{"message": None}]}, {"choices": [{"message": "hi"}]},
    {"error": {"message": "overloaded", "code": 502}},
])  # fmt: skip
def test_an_answer_without_a_choice_or_message_is_an_error(wrong):
    with pytest.raises(PolicyError, match="answered without a") as found:
        turn_from(wrong)
    assert found.value.kind == "empty_choice"


@pytest.mark.parametrize("content", [{"a": 1}, 7, True])
def test_a_content_that_is_no_text_is_an_error(content):
    with pytest.raises(PolicyError, match="content that is not text") as found:
        turn_from(answer({"content": content}))
    assert found.value.kind == "bad_answer"


def test_a_filtered_answer_is_an_error_of_its_kind():
    with pytest.raises(PolicyError, match="content filter") as found:
        turn_from(answer({"content": ""}, "content_filter"))
    assert found.value.kind == "content_filter"


@pytest.mark.parametrize(("told", "known"), [(None, "stop"), ("length", "length"), ("tool_calls", "tool_calls")])
def test_why_it_stopped_is_kept(told, known):
    assert turn_from(answer(finish=told)).finish_reason == known


@pytest.mark.parametrize("usage", [None, 7, {}, {"prompt_tokens": None, "completion_tokens": "3"},
                                   {"prompt_tokens": -1, "completion_tokens": True},
                                   {"prompt_tokens": 10**4000, "completion_tokens": float("inf")}])  # fmt: skip
def test_usage_that_says_nothing_counts_nothing(usage):
    turn = turn_from(answer(usage=usage))
    assert (turn.prompt_tokens, turn.completion_tokens) == (None, None)


def test_token_ids_and_logprobs_are_kept_where_there_is_one_for_each():
    told = {"content": [{"token": "h", "logprob": -0.5}, {"token": "i", "logprob": 0}]}
    turn = turn_from(answer(token_ids=[4, 5], logprobs=told))
    assert (turn.token_ids, turn.logprobs) == ([4, 5], [-0.5, 0.0])


@pytest.mark.parametrize("told", [
    None, 7, {}, {"content": None}, {"content": [{"token": "h"}]}, {"content": [{"logprob": None}]},
    {"content": [{"logprob": -0.5}, {"logprob": "low"}]}, {"content": [{"logprob": -math.inf}]}, {"content": ["x"]},
])  # fmt: skip
def test_logprobs_with_gaps_are_none_at_all(told):
    assert turn_from(answer(logprobs=told, token_ids=["x"])).logprobs is None
    assert turn_from(answer(logprobs=told, token_ids=["x"])).token_ids is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "tool_calls", "function", "arguments", "id", "name"]), inner)
    ),
    max_leaves=10,
)


@given(anything, anything, anything, anything)
def test_whatever_a_message_holds_is_a_turn_or_a_policy_error(message, calls, logprobs, usage):
    message = {**message, "tool_calls": calls} if isinstance(message, dict) else message
    try:
        message = recorded(answer(message, usage=usage, logprobs=logprobs))
    except PolicyError:
        return
    assert isinstance(message["content"], str)
    json.dumps(message, allow_nan=False).encode()
    request_body("m", Request([USER, message]))


# Errors.


@pytest.mark.parametrize(("text", "said"), [
    ('{"error": {"message": "bad key", "type": "auth"}}', "bad key"),
    ('{"error": "plain"}', "plain"),
    ('{"object": "error", "message": "old vLLM", "code": 400}', "old vLLM"),
    ('{"detail": "Not Found"}', "Not Found"),
    ('{"detail": [{"msg": "Extra inputs"}]}', "[{'msg': 'Extra inputs'}]"),
    ('{"error": null, "message": "m"}', "m"),
    ('{"error": {"message": ""}}', "{'message': ''}"),
    ("<html>\n<b>502</b>", "<html> <b>502</b>"),
    ("[" * 100_000, "[" * 100_000),
    ("", ""),
    ("null", "None"),
])  # fmt: skip
def test_what_an_error_says_is_found_in_every_form(text, said):
    assert error_text(text) == said


@pytest.mark.parametrize("text", [
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 5017 tokens.",
    "This model's maximum context length is 256 tokens. However, your prompt contains at least 257 input tokens, ...",
    "The decoder prompt (length 600) is longer than the maximum model length of 512.",
    "The input (600 tokens) is longer than the model's context length (512 tokens).",
    "the request exceeds the available context size. try increasing the context size",
    "prompt is too long: 208310 tokens > 200000 maximum",
    '{"code": "context_length_exceeded"}',
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4500 `inputs` tokens and 20 `max_new_tokens`",
    "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
])  # fmt: skip
def test_an_overflow_is_recognised_in_each_servers_words(text):
    assert is_overflow(400, text)
    assert not is_overflow(500, text)


def test_another_error_is_no_overflow():
    assert not is_overflow(400, "Unrecognized request argument supplied: top_q")
    assert not is_overflow(400, "max_tokens=1000 cannot be greater than max_model_len=256. Please request fewer ...")
