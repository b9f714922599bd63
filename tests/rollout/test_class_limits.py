"""Deadlines that a class declares: they hold where the user sets none."""

import asyncio
import json
import time

import pytest

from grpo_env_sdk import Limits, MultiTurnEnv, ToolEnv, call_message, evaluate, reward, tool
from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.cli import main
from grpo_env_sdk.types import EnvSpec


class Slow(MultiTurnEnv):
    """Takes half a second for a step."""

    max_turns = 2
    call_seconds = 0.2

    def build_dataset(self, tokenizer):
        return [{"prompt": "Wait."}]

    def step(self, action):
        time.sleep(0.5)
        return "on", 0.5, False, False, {}


class SlowEpisodes(Slow):
    """Its steps have time, its episodes have not."""

    call_seconds = 30
    episode_seconds = 0.3


LIMITS = (("max_turns", 2), ("max_turns", 5), ("call_seconds", 0.2), ("episode_seconds", 0.2))


class OfRows(MultiTurnEnv):
    """Each row has a limit of its own; where that is one of time, the second step never ends."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Wait {n}.", "limit": limit, "most": most} for n, (limit, most) in enumerate(LIMITS)]

    def setup(self, row):
        setattr(self, row["limit"], int(row["most"]) if row["limit"] == "max_turns" else row["most"])

    async def step(self, action):
        if self.turns == 2 and self.row["limit"] != "max_turns":
            await asyncio.sleep(3600)
        return "on", 0.1, False, False, {}


class ToolsOfRows(ToolEnv):
    """The same for tools that the SDK runs."""

    max_turns = 3
    build_dataset = OfRows.build_dataset
    setup = OfRows.setup

    @tool
    async def wait(self) -> str:
        """Wait."""
        if self.row["limit"] != "max_turns":
            await asyncio.sleep(3600)
        return "on"

    @reward
    def right(self):
        return 1.0


class Patient(OfRows):
    """Its rows allow more than a user does."""

    def setup(self, row):
        super().setup({**row, "most": 3600})


class Ages(OfRows):
    """Its rows allow more time than a system counts."""

    def setup(self, row):
        self.call_seconds, self.max_turns = 1e308, 2

    async def step(self, action):
        return "on", 0.1, False, False, {}


class Patiently(OfRows):
    """Its rows have more time than its class declares."""

    call_seconds = 0.2
    episode_seconds = 0.3
    max_turns = 1

    def build_dataset(self, tokenizer):
        return [{"prompt": "Wait."}]

    def setup(self, row):
        self.call_seconds, self.episode_seconds = 30, 60

    async def step(self, action):
        await asyncio.sleep(0.6)
        return "on", 0.5, False, False, {}


class Unlimited(Ages):
    """Its rows set no limit of turns."""

    def setup(self, row):
        self.max_turns = None


class Nonsense(OfRows):
    """Its rows have no turns at all."""

    def setup(self, row):
        self.max_turns = -1


def ends(env, pool="thread", **limits):
    """How the episode of each row ends, and where it failed or after how many turns."""
    found = evaluate(
        env, lambda request: call_message("wait"), split="all", limits=Limits(**limits), env_pool=pool
    ).episodes
    return [(one.stop_reason, one.error.stage if one.error else one.turns) for one in found]


@pytest.mark.parametrize(("env", "stage"), [(OfRows, "step"), (ToolsOfRows, "tools")])
@pytest.mark.parametrize("pool", ["thread", "process"])
def test_a_limit_that_setup_gives_to_an_episode_holds(env, stage, pool):
    assert ends(env, pool) == [("max_turns", 2), ("max_turns", 5), ("timeout", stage), ("timeout", "episode")]


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_setup_may_give_more_time_than_the_class_declares(pool):
    assert ends(Patiently, pool) == [("max_turns", 1)]
    assert ends(Patiently, pool, call_seconds=0.2) == [("timeout", "step")]
    assert ends(Patiently, pool, episode_seconds=0.2) == [("timeout", "episode")]


def test_a_run_that_goes_on_has_the_limits_of_setup_unless_a_user_has_set_some(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for flags, code in (((), 0), (("--limit-call", "0.2"), 1)):
        run = f"run-{code}"
        assert main(["eval", f"{__name__}:Patiently", "-m", "echo", "--split", "all", "--out", run, *flags]) == code
        (tmp_path / run / "episodes.jsonl").unlink()
        assert main(["eval", "--resume", run, "--force"]) == code


def test_the_limits_of_a_user_come_before_those_of_setup():
    assert ends(Patient, turns=1) == [("max_turns", 1)] * 4
    assert ends(Patient, turns=2, call_seconds=0.2)[2:] == [("timeout", "step")] * 2
    assert ends(Patient, turns=2, episode_seconds=0.2)[2:] == [("timeout", "episode")] * 2


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_no_number_of_seconds_is_too_much(pool):
    assert ends(Ages, pool) == [("max_turns", 2)] * 4
    assert ends(Ages, pool, call_seconds=1e20) == [("max_turns", 2)] * 4


def test_without_turns_of_its_own_an_episode_has_those_of_its_class(monkeypatch):
    assert ends(Unlimited) == [("max_turns", 3)] * 4
    monkeypatch.setattr(Unlimited, "max_turns", None)
    assert ends(Unlimited) == [("max_turns", 10)] * 4


def test_a_limit_of_setup_that_is_none_fails_its_episode_in_one_line():
    episode = evaluate(Nonsense, "echo", split="all").episodes[0]
    assert "Nonsense.max_turns is -1. Make it a whole number from 1. No value" in episode.error.message


def ended(env, **limits):
    found = evaluate(env, "echo", split="all", limits=Limits(**limits))
    [episode] = found.episodes
    return episode.stop_reason, episode.error and episode.error.stage


def test_the_deadline_of_a_class_holds_and_that_of_the_user_comes_before_it():
    assert ended(Slow) == ("timeout", "step")
    assert ended(Slow, turns=1) == ("timeout", "step")
    assert ended(Slow, call_seconds=5.0) == ("max_turns", None)
    assert ended(Slow, call_seconds=None) == ("max_turns", None)
    assert ended(SlowEpisodes) == ("timeout", "episode")
    assert ended(SlowEpisodes, episode_seconds=20.0) == ("max_turns", None)


def test_a_flag_with_the_usual_number_is_a_flag_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags = ("-m", "echo", "--split", "all")
    assert main(["eval", f"{__name__}:Slow", *flags, "--out", "own"]) == 1
    assert main(["eval", f"{__name__}:Slow", *flags, "--limit-call", "60", "--out", "given"]) == 0
    kept = [json.loads((tmp_path / run / "manifest.json").read_text())["limits"] for run in ("own", "given")]
    assert [limits["call_seconds"] for limits in kept] == [0.2, 60.0]


def test_a_run_is_resumed_with_the_limits_that_it_began_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["eval", f"{__name__}:Slow", "-m", "echo", "--split", "all", "--limit-call", "60", "--out", "run"]) == 0
    assert main(["eval", "--resume", "run", "--retry-failed"]) == 0


@pytest.mark.parametrize(("own", "failed"), [(20.0, False), (None, True)])
def test_checks_give_a_slow_class_its_time(own, failed):
    cls = type("Patient", (Slow,), {"call_seconds": own})
    subject = Subject(EnvSpec("patient", "patient"), Settings(call_seconds=0.1), create=cls)
    assert bool(subject.answer(0, "hello").error) == failed


@pytest.mark.parametrize(("name", "value", "told"), [
    ("max_live", 0, "whole number"), ("max_live", 2.5, "whole number"), ("max_live", True, "whole number"),
    ("call_seconds", 0, "seconds above 0"), ("call_seconds", "soon", "seconds above 0"),
    ("episode_seconds", float("inf"), "seconds above 0"), ("episode_seconds", float("nan"), "seconds above 0"),
])  # fmt: skip
def test_nonsense_is_refused_when_the_environment_is_loaded(name, value, told, capsys, monkeypatch):
    monkeypatch.setattr(Slow, name, value, raising=False)
    assert main(["info", f"{__name__}:Slow"]) == 2
    printed = capsys.readouterr().err
    assert f"Slow.{name} is {value!r}" in printed
    assert told in printed
    assert printed.count("\n") == 1
