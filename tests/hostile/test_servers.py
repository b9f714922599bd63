"""Servers that repeat keys, send prompts elsewhere, and write to the terminal: nothing leaks, nothing is forged."""

from pathlib import Path

import pytest

from grpo_env_sdk.cli import main
from tests.stub_server import Asked, StubServer, error, raw, says

KEY, PASSWORD = "Kq7-secret+word/0042", "lantern-password"
SPELLINGS = (KEY, "Kq7-secret%2Bword%2F0042", PASSWORD, "bWU6bGFudGVybi1wYXNzd29yZA==")
PARROT, SHOP = "tests.policies.parrot:Parrot", "tests.talking:ModelShop"
QUERY = "api-key=Kq7-secret%2Bword%2F0042&api-version=2024-06-01"


async def _repeats_in_an_error(asked: Asked):
    return await error(400, _all_of(asked))(asked)


async def _repeats_in_an_answer(asked: Asked):
    return await says(_all_of(asked))(asked)


async def _repeats_what_is_no_json(asked: Asked):
    return await raw(_all_of(asked))(asked)


async def _sends_elsewhere(asked: Asked):
    return await raw("", 308, Location=f"http://192.0.2.1/{asked.request.query['api-key']}/v1")(asked)


def _all_of(asked: Asked) -> str:
    header = asked.request.headers.get("Authorization")
    return f"{asked.request.url} {asked.request.raw_path} {asked.request.query} {header} {PASSWORD}"


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text('"x"\n')
    return tmp_path


def with_key(url: str) -> str:
    return url.replace("http://", f"http://me:{PASSWORD}@") + f"?{QUERY}"


def leaked(place: Path, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Every place in which a key is shown: files and the terminal."""
    told = capfd.readouterr()
    texts = {str(file): file.read_text(errors="replace") for file in place.rglob("*") if file.is_file()}
    return [
        name for name, text in {**texts, "terminal": told.out + told.err}.items() if any(k in text for k in SPELLINGS)
    ]


REPEATING = [_repeats_in_an_error, _repeats_in_an_answer, _repeats_what_is_no_json, _sends_elsewhere]


@pytest.mark.parametrize("behaviour", REPEATING)
def test_a_key_in_the_address_of_a_server_is_in_no_file_and_not_printed(behaviour, place, capfd):
    with StubServer(behaviour) as server:
        flags = ["--model", "openai:any", "--base-url", with_key(server.url), "--split", "all", "--limit-policy", "1"]
        main(["eval", PARROT, *flags, "--rows", "2", "--out", "run"])
        assert server.requests
        assert server.asked[0].request.query["api-key"] == KEY
    assert leaked(place, capfd) == []


@pytest.mark.parametrize("behaviour", REPEATING[:2])
def test_a_key_in_the_address_of_the_user_s_server_is_not_shown_either(behaviour, place, capfd):
    with StubServer(behaviour) as server:
        flags = ["--user-model", "openai:any", "--user-base-url", with_key(server.url)]
        main(["eval", SHOP, "--model", "gold", "--split", "all", "--rows", "2", *flags, "--out", "run"])
        main(["play", SHOP, "--gold", *flags])
        main(["runs", "show", "run", "--json"])
        assert server.requests
    assert leaked(place, capfd) == []


def test_the_command_that_a_check_names_has_no_key(place, capfd):
    with StubServer(says("###STOP###")) as server:
        flags = ["--user-model", "openai:any", "--user-base-url", with_key(server.url)]
        main(["test", SHOP, "--quick", *flags, "--select", "C110", "--html", "checks.html"])
    assert leaked(place, capfd) == []


@pytest.mark.parametrize("address", ["htp://h/v1?key={}", "h/v1#{}", "http://:0/?{}"])
def test_an_invalid_address_is_refused_without_its_key(address, place, capfd):
    assert main(["eval", PARROT, "--model", "openai:any", "--base-url", address.format(KEY)]) == 2
    assert leaked(place, capfd) == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_prompt_of_a_user_model_is_sent_to_where_its_server_redirects(status, place, capfd):
    with StubServer(says("###STOP###")) as elsewhere, StubServer(raw("", status, Location=elsewhere.url)) as server:
        flags = ["--user-model", "openai:any", "--user-base-url", server.url]
        assert main(["eval", SHOP, "--model", "gold", "--split", "all", *flags]) == 2
        assert elsewhere.requests == 0
    told = capfd.readouterr().err
    assert f"answered {status}: go to" in told
    assert "--user-base-url" in told


def test_a_time_out_names_what_the_server_last_answered(place, capfd):
    with StubServer(error(503, "the disk of this server is full", retry_after="60")) as server:
        flags = ["--model", "openai:any", "--base-url", server.url, "--split", "all", "--rows", "1"]
        main(["eval", PARROT, *flags, "--limit-policy", "0.5", "--out", "run"])
        user = ["--user-model", "openai:any", "--user-base-url", server.url, "--split", "all", "--rows", "1"]
        main(["eval", SHOP, "--model", "gold", *user, "--limit-policy", "0.5", "--out", "users"])
    assert "the disk of this server is full" in (place / "run/episodes.jsonl").read_text()
    assert "the disk of this server is full" in (place / "users/episodes.jsonl").read_text()
