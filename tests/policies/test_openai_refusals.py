"""A server that is no use to anybody ends the run; one that fails here and there does not."""

import subprocess
import sys
import time

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.policies import UnusablePolicyError
from grpo_env_sdk.policies.endpoint import KEY_VARIABLE
from grpo_env_sdk.policies.openai_policy import HOPELESS, OpenAIPolicy
from grpo_env_sdk.policies.retry import Retries
from tests.policies.parrot import Parrot, model_at, played
from tests.stub_server import (
    NAMED,
    StubServer,
    echoes,
    error,
    raw,
    tells_the_key,
)

KEY = "sk-very-secret-0123456789"


def test_a_refused_connection_ends_the_run_at_once(tmp_path, nowhere):
    patient = Retries(first_wait=100_000.0, longest_wait=100_000.0)
    policy, started = OpenAIPolicy("any", nowhere, retries=patient), time.monotonic()
    with pytest.raises(UnusablePolicyError, match=r"Cannot connect .* Is a server running there\? base_url") as found:
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
    (NAMED["wrong-model"], r"answered 404: The model `x` does not exist\. Are the model and base_url right\?"),
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
