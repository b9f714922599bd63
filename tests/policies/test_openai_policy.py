"""Real HTTP against a server on loopback, nearly always in a whole evaluation: answers, and how often it asks."""

import asyncio

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.policies import Sampling
from grpo_env_sdk.policies.retry import Retries
from grpo_env_sdk.rollout.commands import Limits
from tests.environments import Guess, Phonebook, PlainWithTools
from tests.policies.parrot import Parrot, ask, model_at, played
from tests.row_tools_envs import DISHES, Kitchen, tools_for
from tests.stub_server import (
    at_most,
    by_results,
    calls,
    calls_with_dicts,
    choice,
    echoes,
    error,
    later,
    says,
)

# All is well.


def test_an_evaluation_over_http_scores_and_counts_tokens(server, tmp_path):
    summary = evaluate(Parrot(10), model_at(server.url), split="all", out=tmp_path / "run").summary
    assert summary["reward"]["mean"] == 1.0
    assert summary["tokens"] == {"prompt_tokens": 200, "completion_tokens": 100}
    assert summary["policy"] == "openai:any"
    assert server.requests == 10


def test_the_settings_of_a_run_reach_the_server_with_a_seed_for_each_turn(server, tmp_path):
    sampling = Sampling(temperature=0.5, max_tokens=9, seed=3, logprobs=True, extra={"top_k": 4})
    played(Parrot(2), model_at(server.url), tmp_path / "run", sampling=sampling, samples=2)
    bodies = [asked.json for asked in server.asked]
    sent = ({k: body[k] for k in ("model", "temperature", "max_tokens", "logprobs", "top_k")} for body in bodies)
    assert all(
        settings == {"model": "any", "temperature": 0.5, "max_tokens": 9, "logprobs": True, "top_k": 4}
        for settings in sent
    )
    assert len({body["seed"] for body in bodies}) == 4


def test_tools_are_called_over_http_and_their_answers_sent_back(server, tmp_path):
    server.plays(by_results(calls(("look_up", {"name": "Person0"})), says("100")))
    (episode,) = played(Phonebook, model_at(server.url), tmp_path / "run", rows=1)
    assert episode.reward == 1.0
    first, second = (asked.json for asked in server.asked)
    assert first["tools"][0]["function"]["name"] == "look_up"
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool"]
    assert second["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"name": "Person0"}'
    assert second["messages"][2] == {"role": "tool", "tool_call_id": "call_0", "content": '{"number": "100"}'}


@pytest.mark.parametrize("form", [calls, calls_with_dicts])
def test_several_calls_in_one_answer_are_each_answered(form, server, tmp_path):
    server.plays(by_results(form(("add", {"x": 0, "y": 2}), ("add", {"x": 1, "y": 1})), says("x"), says("2")))
    (episode,) = played(PlainWithTools, model_at(server.url), tmp_path / "run", rows=1)
    assert [(call["id"], call["content"]) for call in episode.tool_calls] == [("call_0", "2"), ("call_1", "2")]


def test_each_request_has_the_tools_of_its_row_and_calls_run_by_its_own(server, tmp_path):
    for dish in DISHES:
        server.when(f"{dish} for 2.", by_results(calls((f"make_{dish}", {"guests": 2})), says("Here you are.")))
    plan = {"split": "all", "base_url": server.url, "out": tmp_path / "run"}
    episodes = [one for one in evaluate(Kitchen, "openai:any", **plan).episodes if one.row["guests"] == 2]
    assert {one.row["dish"]: one.reward for one in episodes} == dict.fromkeys(DISHES, 1.0)
    for asked in server.asked:
        (dish,) = {one for one in DISHES if f"{one} for" in asked.json["messages"][0]["content"]}
        assert asked.json["tools"] == tools_for({"dish": dish})
    assert all(one.tools == tools_for(one.row) for one in episodes)


def test_a_call_with_broken_arguments_is_answered_and_the_episode_goes_on(server, tmp_path):
    right = calls(("look_up", {"name": "Person0"}))
    server.plays(by_results(calls(("look_up", '{"name": "Per')), right, says("100")))
    (episode,) = played(Phonebook, model_at(server.url), tmp_path / "run", rows=1)
    assert [call["error"] for call in episode.tool_calls] == ["malformed_call", None]
    assert episode.reward == 1.0


def test_token_ids_and_logprobs_reach_the_record(server, tmp_path):
    logprobs = {"content": [{"token": "say", "logprob": -0.25}, {"token": " 0.", "logprob": 0.0}]}
    message = {"role": "assistant", "content": "say 0."}
    server.plays(choice(message, token_ids=[5, 6], logprobs=logprobs))
    (episode,) = played(Parrot(1), model_at(server.url), tmp_path / "run")
    assert (episode.token_ids, episode.logprobs) == ([[5, 6]], [[-0.25, 0.0]])


def test_reasoning_is_kept_apart_and_not_sent_back(server, tmp_path):
    server.plays(says("8", reasoning_content="The middle is 8."))
    episode = played(Guess, model_at(server.url), tmp_path / "run", rows=2)[0]
    assert episode.messages[1] == {"role": "assistant", "content": "8", "reasoning_content": "The middle is 8."}
    sent = [message for asked in server.asked for message in asked.json["messages"]]
    assert any(message["role"] == "assistant" for message in sent)
    assert not any("reasoning_content" in message for message in sent)


def test_a_refusal_is_what_the_model_said(server, tmp_path):
    server.plays(says(None, refusal="I will not say that."))
    (episode,) = played(Parrot(1), model_at(server.url), tmp_path / "run")
    assert (episode.stop_reason, episode.reward) == ("terminated", 0.0)
    assert episode.messages[-1]["content"] == "I will not say that."


def test_an_answer_that_was_cut_off_ends_the_episode_as_such(server, tmp_path):
    server.plays(says("say", "length"))
    (episode,) = played(Parrot(1), model_at(server.url), tmp_path / "run")
    assert (episode.stop_reason, episode.reward) == ("length", 0.0)


def test_a_policy_serves_one_evaluation_after_another(server, tmp_path):
    policy = model_at(server.url)
    for number in range(2):
        assert {e.reward for e in played(Parrot(), policy, tmp_path / str(number))} == {1.0}


def test_no_more_requests_run_at_once_than_allowed(server, tmp_path):
    server.plays(at_most(99, echoes))
    played(Parrot(20), model_at(server.url, concurrency=3), tmp_path / "run")
    assert server.most_at_once == 3


# Waiting, and how often.


@pytest.mark.parametrize("behaviour", [error(429, "slow", "1"), error(503, "slow", "1"), later(2)])
def test_a_server_that_says_when_to_come_back_is_taken_at_its_word(behaviour, server):
    server.plays(behaviour, echoes)
    assert ask(model_at(server.url)).message["content"] == "say 1."
    first, second = (asked.time for asked in server.asked)
    assert second - first > 0.95


def test_all_requests_of_a_run_share_a_budget_of_retries(server, tmp_path):
    server.plays(echoes, error(500))
    policy = model_at(server.url, Retries(attempts=5, first_wait=0.001, budget=7, per_success=0))
    episodes = played(Parrot(10), policy, tmp_path / "run", concurrency=1)
    assert [episode.reward for episode in episodes] == [1.0] + [None] * 9
    assert server.requests == 10 + 7


def test_successes_earn_retries(server, tmp_path):
    server.plays(*[error(500), echoes] * 20)
    policy = model_at(server.url, Retries(attempts=2, first_wait=0.001, budget=1, per_success=1))
    assert {episode.reward for episode in played(Parrot(20), policy, tmp_path / "run", concurrency=1)} == {1.0}


def test_a_server_with_few_places_gets_fewer_requests_at_once_and_every_episode_its_answer(server, tmp_path):
    server.plays(at_most(4, echoes, 0.002))
    policy = model_at(server.url, Retries(first_wait=0.01), concurrency=32)
    episodes = played(Parrot(200), policy, tmp_path / "run")
    assert {episode.reward for episode in episodes} == {1.0}
    refused = [asked.at_once > 4 for asked in server.asked]
    assert any(refused)
    assert sum(refused[-100:]) < 40


def test_a_server_that_recovers_gets_as_many_as_before(server, tmp_path):
    full = asyncio.Event()

    async def once_eight_are_there(asked):
        if asked.at_once == 8:
            full.set()
        await full.wait()
        return await echoes(asked)

    server.plays(*[error(429)] * 40, *[echoes] * 60, once_eight_are_there)
    policy = model_at(server.url, Retries(first_wait=0.01), concurrency=8)
    episodes = played(Parrot(150), policy, tmp_path / "run", limits=Limits(policy_seconds=60.0))
    assert min(asked.at_once for asked in list(server.asked)[40:60]) < 4
    assert {episode.reward for episode in episodes} == {1.0}
