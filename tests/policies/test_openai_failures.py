"""What one request over HTTP may meet: the other episodes go on, and the record says what it was."""

import gzip

import pytest

from grpo_env_sdk import GrpoEnvWarning, evaluate
from grpo_env_sdk.policies import UnusablePolicyError
from grpo_env_sdk.rollout.commands import Limits
from tests.environments import Phonebook
from tests.policies.parrot import Parrot, model_at, played
from tests.stub_server import (
    NAMED,
    OPENAI_OVERFLOW,
    VLLM_OVERFLOW,
    StubServer,
    by_results,
    byte_by_byte,
    calls,
    closes_in_the_middle,
    echoes,
    error,
    hangs_up,
    huge,
    later,
    never,
    raw,
    says,
    whole,
)

PACKED = {"Content-Encoding": "gzip"}
BOMB = gzip.compress(bytes(33 * 2**20), 1)


@pytest.mark.parametrize(("behaviour", "kind", "told"), [
    (error(400, "Unrecognized request argument"), "http_400", "answered 400: Unrecognized request argument"),
    (raw('{"detail": "Extra inputs"}', 422), "http_422", "answered 422: Extra inputs"),
    (raw("", 402), "http_402", "answered 402: Payment Required"),
    (error(408), "http_408", "answered 408: no"),
    (error(409), "http_409", "answered 409: no"),
    (error(429, "slow down", "0"), "http_429", "answered 429: slow down"),
    (error(500, "broken"), "http_500", "answered 500: broken"),
    (raw("<html>\n<b>Bad gateway</b>", 502), "http_502", "answered 502: <html> <b>Bad gateway</b>"),
    (NAMED["wrong-json"], "bad_answer", "not JSON: '{choices: none}'"),
    (NAMED["truncated-json"], "bad_answer", "not JSON: '{\"choices\": "),
    (NAMED["html"], "bad_answer", "not JSON: '<!DOCTYPE html>"),
    (NAMED["empty"], "bad_answer", "not JSON: ''"),
    (raw("[" * 100_000), "bad_answer", "not JSON: '[[[["),
    (NAMED["no-choices"], "empty_choice", "without a choice: '{\"choices\": []}'"),
    (NAMED["no-message"], "empty_choice", "without a message: '{\"choices\""),
    (whole({"error": {"message": "overloaded"}}), "empty_choice", "overloaded"),
    (says({"a": 1}), "bad_answer", "content that is not text"),
    (NAMED["content-filter"], "content_filter", "withheld the answer by its content filter."),
    (hangs_up, "connection", "Server disconnected"),
    (closes_in_the_middle, "connection", "No answer from http"),
    (huge(33 * 2**20), "huge_answer", "answered with more than 33554432 bytes."),
    (raw(BOMB, **PACKED), "huge_answer", "answered with more than 33554432 bytes."),
    (raw(b"no gzip", **PACKED), "connection", "Can not decode content-encoding: gzip"),
    (OPENAI_OVERFLOW, "context_overflow", "4097 tokens"),
])  # fmt: skip
def test_what_fails_costs_its_episode_alone_and_is_named(behaviour, kind, told, server, tmp_path):
    server.when("say 1.", behaviour)
    episodes = played(Parrot(3), model_at(server.url), tmp_path / "run")
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    assert episodes[1].stop_reason == "policy_error"
    fault = episodes[1].error
    assert (fault.whose, fault.type, fault.traceback) == ("policy", kind, "")
    assert told in fault.message
    assert "\n" not in fault.message
    assert len(fault.message) < 500


@pytest.mark.parametrize("behaviour", [
    error(408), error(409), error(429), error(429, "slow", "0"), later(0), error(500), error(503), error(529),
    NAMED["wrong-json"], NAMED["html"], NAMED["empty"], NAMED["no-choices"], hangs_up, closes_in_the_middle,
])  # fmt: skip
def test_what_passes_is_tried_again_and_leaves_no_trace(behaviour, server, tmp_path):
    server.plays(behaviour, behaviour, echoes)
    episodes = played(Parrot(4), model_at(server.url), tmp_path / "run", concurrency=1)
    assert {episode.reward for episode in episodes} == {1.0}
    assert server.requests == 6


def test_the_tokens_of_a_filtered_answer_count(server, tmp_path):
    server.when("say 1.", NAMED["content-filter"])
    (episode,) = played(Parrot(2), model_at(server.url), tmp_path / "run")[1:]
    assert episode.usage == {"prompt_tokens": 20, "completion_tokens": 10}


def test_what_will_not_pass_is_asked_once(server, tmp_path):
    server.when("say 1.", error(400))
    played(Parrot(3), model_at(server.url), tmp_path / "run")
    assert server.requests == 3


@pytest.mark.parametrize("behaviour", [never, byte_by_byte()])
def test_a_server_that_never_finishes_is_given_up_at_the_deadline(behaviour, server, tmp_path):
    server.when("say 1.", behaviour)
    limits = Limits(policy_seconds=1.0)
    episodes = played(Parrot(3), model_at(server.url), tmp_path / "run", limits=limits)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "timeout", "terminated"]
    assert episodes[1].error.message == "openai:any gave no answer within 1 s."
    assert episodes[1].error.type == "DeadlineError"


def test_a_server_that_is_asked_again_until_the_deadline_is_reported_with_its_last_error(server, tmp_path):
    server.plays(error(503, "the model is still loading", retry_after="30"))
    (episode,) = played(Parrot(1), model_at(server.url), tmp_path / "run", limits=Limits(policy_seconds=1.0))
    assert episode.stop_reason == "timeout"
    assert "within 1 s" in episode.error.message
    assert "the model is still loading" in episode.error.message


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_prompts_are_not_sent_to_where_a_server_redirects(status, server):
    with StubServer(echoes) as other:
        server.plays(raw("", status, Location=f"{other.url}/chat/completions?key=abc"))
        with pytest.raises(UnusablePolicyError, match=f"answered {status}: go to {other.url}") as found:
            evaluate(Parrot(3), model_at(server.url), split="all")
    assert other.requests == 0
    assert "abc" not in str(found.value)


def test_a_request_that_was_given_up_leaves_its_place_to_others(server, tmp_path):
    server.when("say 0.", never)
    limits = Limits(policy_seconds=1.0)
    episodes = played(Parrot(5), model_at(server.url, concurrency=1), tmp_path / "run", limits=limits, concurrency=2)
    assert episodes[0].stop_reason == "timeout"
    assert [episode.reward for episode in episodes[2:]] == [1.0] * 3


@pytest.mark.parametrize("overflow", [OPENAI_OVERFLOW, VLLM_OVERFLOW])
def test_a_transcript_that_outgrew_the_context_ends_its_episode_and_is_scored(overflow, server, tmp_path):
    server.plays(by_results(calls(("look_up", {"name": "Person0"})), overflow))
    with pytest.warns(GrpoEnvWarning, match=r"answered 400: .*max_tokens.* view ") as told:
        episodes = played(Phonebook, model_at(server.url), tmp_path / "run", rows=3)
    assert len(told) == 1
    assert {episode.stop_reason for episode in episodes} == {"max_tokens"}
    assert episodes[0].rewards == {"right": 0.0, "looked_up": 1.0}
    assert {episode.messages[-1]["role"] for episode in episodes} == {"tool"}


def test_a_prompt_that_never_fitted_is_an_error_and_never_a_reward_of_zero(server, tmp_path):
    server.plays(VLLM_OVERFLOW)
    (episode,) = played(Parrot(1), model_at(server.url), tmp_path / "run")
    assert (episode.reward, episode.error.type) == (None, "context_overflow")
    assert episode.error.message.endswith("The prompt and --max-tokens must fit together.")
