"""Calls that an answer only writes: what of them a scorer does not look at."""

import json

import pytest

from grpo_env_sdk.checking.teaching.guessing import no_fixed_answer_is_gold as guessing
from grpo_env_sdk.checking.teaching.written_calls import written_calls_are_compared_as_a_whole as written
from tests.checking.trying import found
from tests.gallery.broken.any_arguments import Desk


class Whole(Desk):
    def is_right(self, call, name, given):
        return call == {"name": name, "arguments": given}


class Missing(Desk):
    """What is left out is not compared."""

    def is_right(self, call, name, given):
        return call["name"] == name and all(given.get(key) == value for key, value in call["arguments"].items())


class OneArgument(Desk):
    def is_right(self, call, name, given):
        first = next(iter(given))
        return (
            call["name"] == name and call["arguments"].get(first) == given[first] and {*call["arguments"]} == {*given}
        )


class Beginnings(Desk):
    def is_right(self, call, name, given):
        same = {*call["arguments"]} == {*given}
        return (
            call["name"] == name and same and all(given[key].startswith(call["arguments"][key] or "?") for key in given)
        )


class Longer(Desk):
    def is_right(self, call, name, given):
        same = {*call["arguments"]} == {*given}
        return call["name"] == name and same and all(given[key] in call["arguments"][key] for key in given)


class AnyTool(Desk):
    def is_right(self, call, name, given):
        return call["arguments"] == given


class Listing(Desk):
    def score_episode(self, model, tokenizer, completion, name, given):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        return float({"name": name, "arguments": json.loads(given)} in calls)


class ForTheForm(Desk):
    """Most of the score is for calling anything."""

    def score_episode(self, model, tokenizer, completion, name, given):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        right = {"name": name, "arguments": json.loads(given)}
        return 0.75 * (len(calls) == 1) + 0.25 * (calls == [right])


@pytest.mark.parametrize(
    ("env", "severity", "said"),
    [
        (Desk, "error", "A call of the right tool with all arguments of another row"),
        (Missing, "error", "Gold's call without its arguments"),
        (OneArgument, "error", "Gold's call with another 'subject'"),
        (Beginnings, "error", "with the first letter of 'to' alone"),
        (Longer, "warning", "Gold's call with more behind 'to'"),
        (AnyTool, "error", "Another tool with gold's arguments"),
        (Listing, "error", "Gold with a call of another row behind it"),
    ],
)
def test_what_is_not_compared_is_found(env, severity, said):
    (finding,) = found(written, env)
    assert (finding.severity, said in finding.message) == (severity, True), finding.message


@pytest.mark.parametrize("env", [Whole, ForTheForm])
def test_nothing_is_said_where_only_the_whole_call_earns_all(env):
    assert not found(written, env)


@pytest.mark.parametrize(
    ("env", "said"), [(Listing, "the calls of many rows in one message"), (ForTheForm, "the calls of another row")]
)
def test_calls_that_are_the_same_on_all_rows_are_tried_as_fixed_answers(env, said):
    assert any(said in getattr(item, "message", "") for item in found(guessing, env))
