"""Keys, passwords and addresses: they reach the server and no record."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.policies import PolicyError, UnusablePolicyError
from grpo_env_sdk.policies.endpoint import DEFAULT_URL, KEY_VARIABLE, URL_VARIABLE
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from tests.policies.parrot import QUICK, Parrot, ask, everything_in, model_at, played
from tests.stub_server import (
    error,
    raw,
    tells_the_key,
)

KEY = "sk-very-secret-0123456789"


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
