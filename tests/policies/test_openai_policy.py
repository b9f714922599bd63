"""Real HTTP against a server on loopback that misbehaves, nearly always through a whole evaluation."""

import asyncio
import socket
import subprocess
import sys
import time

import pytest

from grpo_env_sdk import GrpoEnvWarning, evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.policies import PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.policies.openai_policy import DEFAULT_URL, HOPELESS, KEY_VARIABLE, URL_VARIABLE, OpenAIPolicy
from grpo_env_sdk.policies.retry import Retries
from grpo_env_sdk.rollout.commands import Limits
from tests.environments import Guess, Phonebook, PlainWithTools
from tests.policies.parrot import QUICK, Parrot, everything_in, model_at, played
from tests.row_tools_envs import DISHES, Kitchen, tools_for
from tests.stub_server import (
    NAMED,
    OPENAI_OVERFLOW,
    VLLM_OVERFLOW,
    StubServer,
    at_most,
    by_results,
    byte_by_byte,
    calls,
    calls_with_dicts,
    choice,
    closes_in_the_middle,
    echoes,
    error,
    hangs_up,
    huge,
    later,
    never,
    raw,
    says,
    tells_the_key,
    whole,
)

KEY = "sk-very-secret-0123456789"


def ask(policy, text="say 1.", turn=0):
    """One answer, without an environment."""

    async def respond():
        try:
            return await policy.respond(Request([{"role": "user", "content": text}], turn=turn))
        finally:
            await policy.close()

    return asyncio.run(respond())


@pytest.fixture
def nowhere():
    """A base URL at which nobody listens, nor will."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


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


# What one request may meet: the other episodes go on, and the record says what it was.


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


# A transcript that grew too long.


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


# A server that is no use to anybody.


def test_a_refused_connection_ends_the_run_at_once(tmp_path, nowhere):
    patient = Retries(first_wait=100_000.0, longest_wait=100_000.0)
    policy, started = OpenAIPolicy("any", nowhere, retries=patient), time.monotonic()
    with pytest.raises(UnusablePolicyError, match=r"Cannot connect .* Is a server running there\? --base-url") as found:
        evaluate(Parrot(50), policy, split="all", out=tmp_path / "run")
    assert time.monotonic() - started < 20
    assert "\n" not in str(found.value)
    assert found.value.kind == "connection"
    assert not (tmp_path / "run").exists()


def test_the_command_line_tells_a_refused_connection_in_one_line(tmp_path, nowhere):
    command = ["-m", "grpo_env_sdk", "eval", "tests.policies.parrot:Parrot", "--model", "openai:any", "--split", "all"]
    command += ["--base-url", nowhere, "--out", str(tmp_path / "run")]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "episodes" not in line]
    assert "Is a server running there?" in line
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("behaviour", "told"), [
    (tells_the_key(401), r"answered 401: Incorrect API key .* nothing\. No key was sent: OPENAI_API_KEY is not set\."),
    (NAMED["forbidden"], r"answered 403: .* May this key use this model\?"),
    (NAMED["wrong-model"], r"answered 404: The model `x` does not exist\. Are the model and --base-url right\?"),
    (raw('{"detail": "Not Found"}', 404), r"answered 404: Not Found\. Are the model"),
])  # fmt: skip
def test_what_refuses_everybody_ends_the_run_at_once(behaviour, told, server):
    server.plays(behaviour)
    with pytest.raises(UnusablePolicyError, match=told) as found:
        evaluate(Parrot(50), model_at(server.url), split="all", concurrency=4)
    assert "\n" not in str(found.value)
    assert server.requests <= 4


@pytest.mark.parametrize("behaviour", [NAMED["html"], raw("It works!", kind="text/plain")])
@pytest.mark.parametrize("rows", [1, 50])
def test_a_server_that_has_only_web_pages_ends_the_run_soon(rows, behaviour, server):
    server.plays(behaviour)
    with pytest.raises(UnusablePolicyError, match=r"not JSON: '.*'\. Is a chat completions server there\?") as found:
        evaluate(Parrot(rows), model_at(server.url), split="all", concurrency=4)
    assert "\n" not in str(found.value)
    assert server.requests < 4 * 8


@pytest.mark.parametrize("status", [403, 404])
def test_a_server_that_answered_before_refuses_one_request_alone(status, server, tmp_path):
    server.when("say 2.", error(status, "your input was flagged"))
    episodes = played(Parrot(4), model_at(server.url), tmp_path / "run", concurrency=1)
    assert [episode.reward for episode in episodes] == [1.0, 1.0, None, 1.0]
    assert episodes[2].error.type == f"http_{status}"


def test_a_key_that_is_no_longer_right_ends_the_run(server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server.when("say 2.", error(401, "expired"))
    with pytest.raises(UnusablePolicyError, match=r"answered 401: expired\. Is the key right"):
        evaluate(Parrot(4), model_at(server.url), split="all", concurrency=1)


@pytest.mark.parametrize("behaviour", [
    error(400, "no seed, please"), error(500, "broken"), NAMED["truncated-json"], raw("<html>Bad gateway</html>", 502),
])  # fmt: skip
def test_a_server_that_never_answered_anybody_ends_the_run_after_a_while(behaviour, server):
    server.plays(behaviour)
    policy = model_at(server.url, Retries(attempts=2, first_wait=0.001))
    with pytest.raises(UnusablePolicyError, match=r"2\d requests have failed, and none was answered"):
        evaluate(Parrot(100), policy, split="all", concurrency=8)
    assert server.requests < 2 * (HOPELESS + 8)


def test_a_few_rows_that_fail_first_do_not_end_the_run(server, tmp_path):
    for number in range(5):
        server.when(f"say {number}.", error(400))
    episodes = played(Parrot(8), model_at(server.url), tmp_path / "run", concurrency=1)
    assert [episode.reward for episode in episodes] == [None] * 5 + [1.0] * 3


def test_a_server_that_goes_away_in_the_middle_costs_what_is_left_and_keeps_what_was_done(tmp_path):
    with StubServer(echoes) as server:
        policy = model_at(server.url, Retries(attempts=3, first_wait=0.001))

        class Leaving(Parrot):
            def score_episode(self, model, tokenizer, completion, said):
                if said == "say 2.":
                    server.stop()
                return super().score_episode(model, tokenizer, completion, said)

        episodes = played(Leaving(), policy, tmp_path / "run", concurrency=1)
    assert [episode.reward for episode in episodes] == [1.0, 1.0, 1.0, None, None, None]
    assert {episode.error.type for episode in episodes[3:]} == {"connection"}


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


# Secrets.


@pytest.mark.parametrize("behaviour", [
    tells_the_key(400), tells_the_key(500), tells_the_key(429), tells_the_key(422, "x" * 290),
    raw(f"<html>{'y' * 110}{KEY}</html>"), raw(f'{{"choices": [], "debug": "{KEY}"}}'),
    raw(f'{{"choices": [], "debug": "{"z" * 175}{KEY}"}}'), raw(f"Bearer {KEY} is wrong", 400),
    raw(f"{' ' * 5000}{KEY}", 500),
])  # fmt: skip
def test_a_key_that_the_server_tells_reaches_no_record(behaviour, server, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server.when("say 1.", behaviour)
    episodes = played(Parrot(3), model_at(server.url), tmp_path / "run")
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "terminated"]
    assert server.asked[0].request.headers["Authorization"] == f"Bearer {KEY}"
    written = everything_in(tmp_path / "run")
    assert not any(KEY[:length] in written for length in range(6, len(KEY)))


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_key_that_the_server_tells_is_not_in_what_ends_the_run(status, server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server.plays(tells_the_key(status))
    with pytest.raises(UnusablePolicyError, match=r"provided: Bearer \*\*\*") as found:
        evaluate(Parrot(), model_at(server.url), split="all")
    assert KEY not in repr(found.value)


def test_a_password_in_the_address_lets_one_in_and_reaches_no_record(server, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server.when("say 1.", tells_the_key(400))
    url = server.url.replace("//", "//me:pass-word@")
    monkeypatch.setenv(URL_VARIABLE, url)
    episodes = played(Parrot(3), model_at(url), tmp_path / "run")
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    assert server.asked[0].request.headers["Authorization"] == "Basic bWU6cGFzcy13b3Jk"
    written = everything_in(tmp_path / "run")
    assert "pass-word" not in written
    assert "bWU6cGFzcy13b3Jk" not in written


def test_a_key_with_a_line_end_from_its_file_works(server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, f"{KEY}\n")
    ask(model_at(server.url))
    assert server.asked[0].request.headers["Authorization"] == f"Bearer {KEY}"


def test_a_key_may_have_a_variable_of_its_own(server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-of-somebody-else")
    monkeypatch.setenv("JUDGE_KEY", KEY)
    ask(OpenAIPolicy("any", server.url, key_variable="JUDGE_KEY"))
    assert server.asked[0].request.headers["Authorization"] == f"Bearer {KEY}"


def test_no_key_sends_no_header(server, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password netrc-word\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    ask(model_at(server.url))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    ask(model_at(server.url))
    assert [asked.request.headers.get("Authorization") for asked in server.asked] == [None, f"Bearer {KEY}"]


def test_a_proxy_that_the_environment_names_is_asked(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1").replace("//", "//me:proxy-word@"))
    assert ask(model_at("http://model.invalid/v1")).message["content"] == "say 1."
    headers = server.asked[0].request.headers
    assert headers["Host"] == "model.invalid"
    assert headers["Proxy-Authorization"].startswith("Basic ")


def test_an_error_says_which_address_it_was(server):
    server.plays(error(400, "no"))
    with pytest.raises(PolicyError, match=f"{server.url}/chat/completions answered 400: no"):
        ask(OpenAIPolicy("any", server.url, retries=QUICK))


def test_the_help_names_the_server_that_is_asked_by_default(capsys):
    with pytest.raises(SystemExit):
        main(["eval", "--help"])
    assert DEFAULT_URL in capsys.readouterr().out
    assert OpenAIPolicy("any").url.startswith(DEFAULT_URL)
