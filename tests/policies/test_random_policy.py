import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_sdk import ToolEnv, evaluate, reward, tool
from grpo_env_sdk.data.messages import tool_calls_of
from grpo_env_sdk.policies import Request, Sampling, make_policy
from grpo_env_sdk.policies.random_policy import RandomPolicy
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall
from tests.environments import ALL, Phonebook
from tests.policies.parrot import Parrot, played
from tests.policies.test_random_arguments import parameters


def answer(messages, tools=(), seed=0, **place):
    request = Request(messages, tools, Sampling(seed=seed), **place)
    return asyncio.run(RandomPolicy().respond(request)).message


def user(content):
    return [{"role": "user", "content": content}]


def offered(parameters=None):
    function = {"name": "book"} if parameters is None else {"name": "book", "parameters": parameters}
    return [{"type": "function", "function": function}]


def calls_made(tools, many=40):
    messages = [answer(user("Book 2 nights in Lyon"), tools, seed) for seed in range(many)]
    return [call for message in messages for call in tool_calls_of(message)]


@pytest.mark.parametrize("env", ALL)
def test_equal_seeds_give_equal_episodes_and_other_seeds_others(env, tmp_path):
    runs = [
        played(env, "random", tmp_path / str(number), sampling=Sampling(seed=seed))
        for number, seed in enumerate([1, 1, 2])
    ]
    first, again, other = ([episode.messages for episode in run] for run in runs)
    assert first == again
    assert first != other


def test_samples_of_a_row_differ(tmp_path):
    episodes = played(Parrot(1), "random", tmp_path / "run", samples=8)
    assert len({episode.messages[-1]["content"] for episode in episodes}) > 4


@settings(max_examples=100, deadline=None)
@given(parameters(), st.integers(0, 2**31))
def test_a_call_passes_every_check_of_the_toolbox(schema, seed):
    tools = offered(schema)
    box = Toolbox(tools, fallback=lambda name, arguments: "done")
    for call in tool_calls_of(answer(user("Book 2 nights from 2026-11-03 on"), tools, seed)):
        outcome = box.run(call)
        assert outcome.error is None, (call, outcome.content)


def test_tools_that_say_little_of_their_parameters_are_given_an_object():
    for schema in (None, {}, {"properties": {"n": {"type": "integer"}}, "required": ["n"]}):
        found = calls_made(offered(schema))
        assert found
        assert all(isinstance(call.arguments, dict) for call in found)


def test_no_call_of_real_tools_is_refused(tmp_path):
    class Desk(ToolEnv):
        max_turns = 6

        def build_dataset(self, tokenizer):
            return [{"prompt": f"Book {n} nights in Lyon for Ann."} for n in range(10)]

        @tool
        def search(self, city: str, stars: int = 1, sort: bool = False) -> list[str]:
            """Search."""
            return ["H1", "H2"]

        @tool
        def book(self, hotel: str, nights: int, extras: list[str] | None = None) -> str:
            """Book."""
            return f"booked {hotel}"

        @reward
        def any_call(self, tool_calls):
            return bool(tool_calls)

    episodes = played(Desk, "random", tmp_path / "run", samples=4)
    outcomes = [call for episode in episodes for call in episode.tool_calls]
    assert len(outcomes) > 40
    assert {call["error"] for call in outcomes} == {None}
    assert {call["name"] for call in outcomes} == {"search", "book"}


def test_it_both_calls_and_answers_where_there_are_tools():
    made = [answer(user("Hi there"), offered(), seed) for seed in range(100)]
    assert 50 < sum("tool_calls" in message for message in made) < 90


@pytest.mark.parametrize(("content", "words"), [
    ("Say yes or no.", {"Say", "yes", "or", "no."}),
    ([{"type": "text", "text": "only this"}, {"type": "image_url", "image_url": {}}], {"only", "this"}),
    ("?!", {"yes"}),
    ("", {"yes"}),
])  # fmt: skip
def test_it_answers_words_that_it_was_told(content, words):
    said = {word for seed in range(50) for word in answer(user(content), seed=seed)["content"].split()}
    assert said == words


def test_words_of_tools_answers_are_used_too():
    messages = [*user("Go"), {"role": "tool", "tool_call_id": "call_0", "content": '{"id": "H12"}'}]
    assert any("H12" in answer(messages, seed=seed)["content"] for seed in range(50))


def test_random_is_low_where_gold_is_one():
    assert evaluate(Phonebook, make_policy("random"), split="all").summary["reward"]["mean"] < 0.6


def test_a_call_that_it_makes_has_an_id_and_a_dict(tmp_path):
    (call, *_) = calls_made(offered({"properties": {"n": {"type": "integer"}}, "required": ["n"]}))
    assert call == ToolCall("call_0_0", "book", {"n": call.arguments["n"]})
