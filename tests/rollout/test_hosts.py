"""Hosts that other people write: whatever they answer ends one episode, and never the rest."""

import asyncio

import pytest

from grpo_env_sdk import Limits, load
from grpo_env_sdk.errors import UsageError
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
        if isinstance(self.answer, Exception):
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
