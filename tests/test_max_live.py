"""An environment whose server has eight sessions never sees a ninth episode, in no command."""

import json

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from tests.sessions import MOST, session_server

ENV = "tests.sessions:Sessions"


@pytest.fixture
def server():
    with session_server() as running:
        yield running


@pytest.fixture
def config(server):
    return json.dumps({"url": server.url})


def check_within_limits(server):
    """The server was used by several at once, refused nobody, and has no session left."""
    assert server.refused == 0
    assert not server.sessions
    assert 1 < server.most <= MOST


def test_an_evaluation_at_a_higher_concurrency_is_capped_with_a_note(server, config, tmp_path, capsys):
    flags = ("--model", "gold", "--split", "all", "--concurrency", "64", "--out", str(tmp_path / "run"))
    assert main(["eval", ENV, "--env-config", config, *flags]) == 0
    printed = capsys.readouterr()
    assert "40 scored" in printed.out
    assert f"plays {MOST} at once, not 64 (max_live = {MOST})" in printed.err
    check_within_limits(server)


def test_nobody_is_told_of_a_limit_that_they_did_not_ask_to_exceed(server, config, tmp_path, capsys):
    assert main(["eval", ENV, "--env-config", config, "-m", "gold", "--out", str(tmp_path / "run")]) == 0
    assert "at once" not in capsys.readouterr().err


def test_results_do_not_depend_on_how_many_play_at_once(server):
    def transcripts(concurrency):
        found = evaluate(ENV, "random", config={"url": server.url}, split="all", concurrency=concurrency)
        return [(episode.messages, episode.reward) for episode in found.episodes]

    assert transcripts(1) == transcripts(64)
    check_within_limits(server)


@pytest.mark.slow
def test_all_checks_together_stay_within_the_limit(server, config, capsys):
    main(["test", ENV, "--env-config", config])
    assert "at capacity" not in capsys.readouterr().out
    check_within_limits(server)


def test_the_checks_that_hold_instances_open_stay_within_the_limit(server, config, capsys):
    main(["test", ENV, "--env-config", config, "--quick", "--env-pool=thread", "--select", "E301,E304,E306,K721,K711"])
    assert "at capacity" not in capsys.readouterr().out
    check_within_limits(server)


def test_a_server_with_one_session_can_be_checked(capsys):
    with session_server(most=1) as server:
        config = json.dumps({"url": server.url, "max_live": 1})
        main(
            [
                "test",
                ENV,
                "--env-config",
                config,
                "--quick",
                "--env-pool",
                "thread",
                "--select",
                "E301,E304,E306,K721,K711",
            ]
        )
        assert "at capacity" not in capsys.readouterr().out
        assert (server.most, server.refused, server.sessions) == (1, 0, set())


def test_info_shows_the_limits_of_a_class(server, config, capsys):
    assert main(["info", ENV, "--env-config", config]) == 0
    assert f"limits     at most {MOST} episodes at once (max_live)" in capsys.readouterr().out
    assert main(["info", ENV, "--env-config", config, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["limits"] == {
        "max_turns": 3, "max_live": MOST, "call_seconds": None, "episode_seconds": None,
    }  # fmt: skip
