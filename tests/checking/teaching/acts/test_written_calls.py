"""Calls that an answer only writes: what of them a scorer does not look at."""

import json

import pytest

from grpo_env_sdk.checking.teaching.acts.written_calls import made_up_arguments_do_not_score as made_up
from grpo_env_sdk.checking.teaching.acts.written_calls import written_calls_are_compared_as_a_whole as written
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold as guessing
from tests.checking.trying import found, subject_of
from tests.gallery.broken.any_arguments import Desk
from tests.gallery.broken.any_city import Weather


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


class NearlySo(Desk):
    """The number may be one off."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        for number, row in enumerate(rows):
            row["given"] = json.dumps(json.loads(row["given"]) | {"days": number % 8 + 2})
            row["prompt"][0]["content"] += f" It is for {number % 8 + 2} days."
        return rows

    def is_right(self, call, name, given):
        rest = {**call["arguments"], "days": given["days"]}
        return call["name"] == name and rest == given and abs(call["arguments"].get("days", 99) - given["days"]) < 2


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
        (NearlySo, "error", "Gold's call with one more for 'days'"),
        (AnyTool, "error", "Another tool with gold's arguments"),
        (Listing, "error", "Gold with a call of another row behind it"),
    ],
)
def test_what_is_not_compared_is_found(env, severity, said):
    (finding,) = found(written, env, "default")
    assert (finding.severity, said in finding.message) == (severity, True), finding.message


class OwnWords(Desk):
    """The prompt names somebody, and what is said is free."""

    def build_dataset(self, tokenizer):
        rows = [row for row in super().build_dataset(tokenizer) if row["name"] == "send_mail"]
        return [
            {**row, "prompt": [{"role": "user", "content": f"Mail {json.loads(row['given'])['to']} some joke ({n})."}]}
            for n, row in enumerate(rows)
        ]

    def is_right(self, call, name, given):
        same = {*call["arguments"]} == {*given}
        return call["name"] == name and same and call["arguments"]["to"] == given["to"]


class NoArguments(Desk):
    """Only the tool is asked for, and takes nothing."""

    def build_dataset(self, tokenizer):
        return [{**row, "given": "{}"} for row in super().build_dataset(tokenizer)]


@pytest.mark.parametrize("env", [Whole, ForTheForm, OwnWords, NoArguments])
def test_nothing_is_said_where_only_the_whole_call_earns_all(env):
    assert not found(written, env, "default")


@pytest.mark.parametrize(
    ("env", "said"), [(Listing, "the calls of many rows in one message"), (ForTheForm, "the calls of another row")]
)
def test_calls_that_are_the_same_on_all_rows_are_tried_as_fixed_answers(env, said):
    assert any(said in getattr(item, "message", "") for item in found(guessing, env, "default"))


FOUND = "the calls that the scorer compares with"


class City(Weather):
    def is_right(self, calls, city):
        return [call["arguments"].get("city") for call in calls] == [city]


class OneOfTwo(Weather):
    """Nothing, or the right city."""

    def is_right(self, calls, city):
        return len(calls) == 1 and calls[0]["arguments"].get("city") in (city, None)


class WholeUnsolved(Whole):
    solve = None


class ListingUnsolved(Listing):
    solve = None


class HiddenCases(Weather):
    """The right calls are in the instance, as those of a class from elsewhere may be, and a part is worth a part."""

    def __init__(self):
        self.cases = [
            {"name": "forecast", "arguments": {"city": row["city"], "days": 3}} for row in self.build_dataset(None)
        ]

    def score_episode(self, model, tokenizer, completion, case_idx):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        wanted = self.cases[case_idx]["arguments"]
        if len(calls) != 1 or calls[0]["name"] != "forecast" or not isinstance(calls[0]["arguments"], dict):
            return 0.0
        return sum(calls[0]["arguments"].get(name) == value for name, value in wanted.items()) / len(wanted)

    def get_tools(self):
        (tool,) = super().get_tools()
        parameters = tool["function"]["parameters"]
        more = {
            **parameters,
            "properties": {**parameters["properties"], "days": {"type": "integer", "description": "So many."}},
        }
        return [{**tool, "function": {**tool["function"], "parameters": more}}]


@pytest.mark.parametrize("env", [City, WholeUnsolved, HiddenCases])
def test_calls_that_score_the_top_are_found_from_what_they_are_compared_with(env):
    subject = subject_of(env, "default")
    assert subject.gold_source == FOUND
    assert subject.gold(0).reward == 1.0
    assert not found(written, env, "default")
    assert not found(made_up, env, "default")


@pytest.mark.parametrize(
    ("env", "said"), [(OneOfTwo, "without its arguments"), (ListingUnsolved, "another row behind")]
)
def test_found_calls_are_tried_with_changes_too(env, said):
    (finding,) = found(written, env, "default")
    assert said in finding.message


class SomeCity(HiddenCases):
    """The days are compared, and the city is not."""

    def score_episode(self, model, tokenizer, completion, case_idx):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        wanted = self.cases[case_idx]["arguments"]
        return float(len(calls) == 1 and calls[0]["arguments"].get("days") == wanted["days"] + case_idx % 7)


def test_texts_that_are_never_compared_beside_others_that_are_may_be_free():
    (finding,) = found(made_up, SomeCity, "default")
    assert (finding.severity, "with 'city' that nobody asked for" in finding.message) == ("warning", True)


def test_calls_that_win_with_anything_are_no_gold_and_are_named():
    assert subject_of(Weather, "default").gold_source is None
    (finding,) = found(made_up, Weather, "default")
    assert finding.severity == "error"
    assert finding.message.startswith(
        "A call of forecast with 'city' that nobody asked for scores 1, the top, on 24 of 24"
    )
