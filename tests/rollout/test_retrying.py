"""A failed reset or step is played again, as often as asked; nothing else is."""

import json

import pytest

from grpo_env_sdk import Limits, Turn, evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from tests.rollout import flaky
from tests.rollout.flaky import CALLS, OPEN, Changing, Flaky, FlakyTools
from tests.rollout.worker_processes import wait_until

ENV = f"{flaky.__name__}:Flaky"


@pytest.fixture(autouse=True)
def _afresh():
    CALLS.clear()
    OPEN.clear()
    yield
    wait_until(lambda: OPEN["now"] == 0)  # an instance that hangs is closed once its call is back


class Counting:
    """Says its number, and counts how often it was asked."""

    name = "counting"

    def __init__(self):
        self.asked = 0

    async def respond(self, request):
        self.asked += 1
        return Turn({"role": "assistant", "content": f"message {request.turn}"})


def played(env, retries, policy=None, *, concurrency=64, limits=None, **config):
    given = {"env_retries": retries, **(limits or {})}
    return evaluate(
        env, policy or Counting(), config=config, split="all", limits=Limits(**given), concurrency=concurrency
    )


@pytest.mark.parametrize("fails_at", ["reset", "step"])
def test_a_failure_is_played_again_and_the_model_is_not_asked_again(fails_at):
    policy = Counting()
    once = played(Flaky, 0, fails_at="nowhere").episodes
    CALLS.clear()
    again = played(Flaky, 1, policy, fails_at=fails_at)
    assert [episode.messages for episode in again.episodes] == [episode.messages for episode in once]
    assert [episode.reward for episode in again.episodes] == [episode.reward for episode in once]
    assert [episode.env_retries for episode in again.episodes] == [0, 1, 0, 1, 0, 1]
    assert policy.asked == 18
    assert again.summary["env_retries"] == {"episodes": 3, "tries": 3}
    assert not again.summary["errors"]


def test_nothing_is_played_again_unless_asked_for():
    found = played(Flaky, 0)
    assert found.summary["errors"] == {"environment step: ConnectionError": 3}
    assert found.summary["env_retries"] == {"episodes": 0, "tries": 0}


def test_after_so_many_tries_the_failure_stands():
    found = played(Flaky, 2, times=9)
    assert [episode.env_retries for episode in found.episodes] == [0, 2, 0, 2, 0, 2]
    assert found.summary["errors"] == {"environment step: ConnectionError": 3}


def test_an_instance_is_closed_before_another_is_begun():
    played(Flaky, 3, times=2, concurrency=1)
    assert OPEN["most"] == 1


def test_a_transcript_that_comes_out_differently_is_a_failure_as_before():
    policy = Counting()
    found = played(Changing, 5, policy)
    failed = [episode for episode in found.episodes if episode.error]
    assert [episode.row["number"] for episode in failed] == [1, 3, 5]
    assert {episode.error.type for episode in failed} == {"ConnectionError"}
    assert all("Step came out differently" in episode.error.message for episode in failed)
    assert [episode.env_retries for episode in failed] == [1, 1, 1]
    assert policy.asked == 15


def test_a_class_that_cannot_be_replayed_gets_another_reset_and_no_other_step():
    assert not played(Flaky, 1, fails_at="reset", replayable=False).summary["errors"]
    CALLS.clear()
    assert played(Flaky, 1, replayable=False).summary["errors"] == {"environment step: ConnectionError": 3}


@pytest.mark.parametrize("fails_at", ["reset", "step"])
def test_a_call_that_hangs_is_played_again_too(fails_at):
    found = played(Flaky, 1, fails_at=fails_at, hangs=3.0, limits={"call_seconds": 1.0})
    assert not found.summary["errors"]
    assert found.summary["env_retries"]["episodes"] == 3


def test_the_deadline_of_the_episode_counts_on():
    limits = {"call_seconds": 1.0, "episode_seconds": 1.5}
    found = played(Flaky, 9, fails_at="reset", times=9, hangs=3.0, limits=limits)
    assert found.summary["errors"] == {"sdk episode: DeadlineError": 3}


def test_tools_and_a_solution_that_looks_at_results_are_played_again():
    found = played(FlakyTools, 1, "gold", hangs=3.0, limits={"call_seconds": 1.0})
    assert [episode.reward for episode in found.episodes] == [1.0] * 6
    assert [episode.env_retries for episode in found.episodes] == [0, 1, 0, 1, 0, 1]


def test_neither_scores_nor_policies_are_tried_again():
    class NoScore(Flaky):
        def step(self, action):
            return "on", None, False, False, {}

    class Refusing(Counting):
        async def respond(self, request):
            await super().respond(request)
            raise ConnectionError("the model is down")

    assert played(NoScore, 3).summary["errors"] == {"environment step: ScoreError": 6}
    policy = Refusing()
    assert played(Flaky, 3, policy).summary["errors"] == {"policy generate: ConnectionError": 6}
    assert policy.asked == 6
    assert not CALLS["step", 1]


def test_a_command_says_how_many_needed_another_try(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    flags = ("-m", "echo", "--split", "all", "--out", "run")
    assert main(["eval", ENV, *flags, "--env-retries", "1"]) == 0
    assert "3 episodes needed another try" in capsys.readouterr().out
    records = [json.loads(line) for line in (tmp_path / "run/episodes.jsonl").read_text().splitlines()]
    assert sum(record["env_retries"] for record in records) == 3
    assert json.loads((tmp_path / "run/summary.json").read_text())["env_retries"] == {"episodes": 3, "tries": 3}


def test_failed_episodes_of_a_run_can_be_played_with_more_tries(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config = ("--env-config", '{"times": 2}')
    for command in (
        ["eval", ENV, *config, "-m", "echo", "--split", "all", "--out", "run"], ["eval", "--resume", "run"],
        ["runs", "show", "run"],
    ):  # fmt: skip
        assert main(command) == 0
        assert "grpo-env eval --resume run --retry-failed" in capsys.readouterr().out
    assert main(["eval", "--resume", "run", "--retry-failed", "--env-retries", "1"]) == 0
    told = capsys.readouterr().out
    assert "6 scored" in told
    assert "--retry-failed" not in told


def test_a_rescore_takes_the_tries_of_the_run_or_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["eval", ENV, "-m", "echo", "--split", "all", "--env-retries", "1", "--out", "run"]) == 0
    for flags, scored in (((), 6), (("--env-retries", "0"), 3)):
        CALLS.clear()
        assert main(["rescore", "run", "--out", f"again{scored}", *flags]) == 0
        assert json.loads((tmp_path / f"again{scored}/summary.json").read_text())["scored"] == scored


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "2", None])
def test_nonsense_is_refused(wrong):
    with pytest.raises(UsageError, match="env_retries must be a whole number from 0"):
        Limits(env_retries=wrong)
