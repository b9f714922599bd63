"""Hosts that other people write: whatever they answer ends one episode, and never the rest."""

import asyncio

import pytest

from grpo_env_sdk import Limits, load
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.ext import Failed, Fault, Job, Opened, Reset, Rollout, Scored, drive
from grpo_env_sdk.policies import make_policy
from tests.environments import Countdown


class Says:
    """A host that answers `ScoreEpisode` for row 1 with `answer`, or raises it, and does everything else well."""

    def __init__(self, env, job, answer):
        self.env, self.job, self.answer, self.closed = env, job, answer, False

    async def perform(self, command):
        if isinstance(command, Reset):
            return Opened()
        if self.job.row_index == 0:
            return Scored([1.0])
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def close(self):
        self.closed = True


class Hosts:
    def __init__(self, loaded, answer):
        self.env, self.answer, self.opened = loaded.description, answer, []

    def open(self, job):
        self.opened.append(Says(self.env, job, self.answer))
        return self.opened[-1]

    def close(self):
        pass


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "ScoreEpisode was answered with None, not with Scored"),
        (Opened(), "ScoreEpisode was answered with Opened("),
        (OSError("the machine is gone"), "the machine is gone"),
        (Scored([1.0, 0.5]), "gave 2 values, not 1"),
        (Scored(1.0), "ScoreEpisode was answered with Scored(values=1.0"),
        (Failed("nonsense", "no fault"), "answered with Failed(reason='nonsense'"),
        (
            Failed("terminated", Fault("environment", "score", "KeyError", "")),
            "answered with Failed(reason='terminated'",
        ),
        (SystemExit(3), "SystemExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (Scored([]), "gave 0 values, not 1"),
        (Scored([float("inf")]), "inf"),
        (Scored(["high"]), "high"),
        (Failed("env_error", Fault("environment", "score", "KeyError", "'city'"), "score"), "'city'"),
    ],
)
def test_a_host_that_answers_wrongly_fails_its_episode_alone(answer, told):
    loaded = load(Countdown)
    hosts = Hosts(loaded, answer)

    async def played():
        rollout, found = Rollout(make_policy("random")), loaded.rows()
        return [episode async for episode in drive(hosts, found, rollout, [Job(0, 0), Job(1, 0)])]

    good, bad = sorted(asyncio.run(played()), key=lambda episode: episode.row_index)
    assert (good.reward, good.error) == (1.0, None)
    assert (bad.reward, bad.stop_reason) == (None, "env_error")
    assert told in bad.error.message
    assert all(host.closed for host in hosts.opened)


class Breaking(Hosts):
    """Hosts that cannot be opened or used for row 1."""

    def __init__(self, loaded, method, answer):
        super().__init__(loaded, Scored([1.0]))
        self.method, self.broken = method, answer

    def open(self, job):
        host = super().open(job)
        if job.row_index == 1 and self.method == "open":
            return self._break()
        if job.row_index == 1:
            setattr(host, self.method, self._break_later)
        return host

    def _break(self):
        if self.broken is not None:
            raise self.broken

    async def _break_later(self):
        return self._break()


def drive_four(hosts):
    async def played():
        return [episode async for episode in drive(hosts, load(Countdown).rows()[:4], Rollout(make_policy("random")))]

    return sorted(asyncio.run(played()), key=lambda episode: episode.row_index)


@pytest.mark.parametrize(
    ("method", "answer", "told"),
    [
        ("open", OSError("no place"), "no place"),
        ("open", None, "open returned None, which is no host"),
        ("ready", OSError("no place"), "no place"),
    ],
)
def test_a_host_that_cannot_be_opened_costs_its_episode(method, answer, told):
    episodes = drive_four(Breaking(load(Countdown), method, answer))
    assert [episode.stop_reason for episode in episodes] == ["terminated", "env_error", "terminated", "terminated"]
    assert told in episodes[1].error.message


def test_a_host_that_cannot_be_closed_costs_no_episode():
    with pytest.warns(GrpoEnvWarning, match="Says.close raised OSError: gone"):
        episodes = drive_four(Breaking(load(Countdown), "close", OSError("gone")))
    assert [episode.reward for episode in episodes] == [1.0] * 4


@pytest.mark.parametrize("method", ["open", "ready", "close"])
def test_an_error_of_the_sdks_own_ends_the_run(method):
    with pytest.raises(UsageError, match="no cluster"):
        drive_four(Breaking(load(Countdown), method, UsageError("no cluster")))


async def _never_awaited(): ...


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"policy": "gold"}, "'gold' is not a policy"),
        ({"limits": {"turns": 5}}, "limits must be Limits"),
        ({"concurrency": 0}, "concurrency must be at least 1, got 0"),
        ({"when_quiet": _never_awaited}, "when_quiet is an async function"),
    ],
)
def test_a_rollout_that_cannot_work_is_refused_at_once(wrong, told):
    with pytest.raises(UsageError, match=told):
        Rollout(**{"policy": make_policy("random"), "limits": Limits(), **wrong})
