"""`--user-model` and `--user-base-url` in commands that play episodes."""

import json

import pytest

from grpo_env_sdk.cli import main
from tests.stub_server import StubServer, says

SHOP = "tests.talking:ModelShop"


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder: exit code and all that it printed; `user.jsonl` is a script of a user."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "user.jsonl").write_text(json.dumps(["Tea, please.", "Thank you. ###STOP###"]))

    def run(*words):
        capsys.readouterr()
        code = main([*words])
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def test_play_shows_what_the_user_says(said):
    code, told = said("play", SHOP, "--gold", "--user-model", "scripted:user.jsonl")
    assert code == 0
    assert told.index("user: Tea, please.") < told.index("tool sell") < told.index("user: Thank you.")


def test_eval_asks_the_server_of_the_user(said):
    with StubServer(says("###STOP###")) as server:
        flags = ["--user-model", "openai:customer", "--user-base-url", server.url]
        code, told = said("eval", SHOP, "-m", "gold", "--split", "all", "-n", "2", *flags)
        assert server.requests >= 2
    assert (code, "user completion tokens" in told) == (0, True)


@pytest.mark.parametrize("words", [["play", SHOP, "--gold"], ["eval", SHOP, "-m", "gold"]])
def test_a_user_that_nobody_names_is_one_line(said, words):
    code, told = said(*words)
    assert (code, told.count("\n")) == (2, 1)
    assert "--user-model openai:NAME" in told


def test_a_user_model_for_an_environment_without_one_is_one_line(said):
    code, told = said("eval", "tests.talking:Shop", "-m", "gold", "--user-model", "echo")
    assert (code, told.count("\n")) == (2, 1)
    assert "no ModelUser" in told


@pytest.mark.parametrize("more", [[], ["--user-model", "scripted:user.jsonl"]])
def test_checks_find_nothing_wrong_and_ask_nobody_unless_told(said, more):
    code, told = said("test", SHOP, "--quick", "--env-pool", "thread", "--select", "E3,C1,G5", *more)
    assert code == 0, told
