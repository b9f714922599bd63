"""When all is quiet, whose clock stands still, and that every host is closed once."""

import asyncio
import threading
import time

import pytest

from grpo_env_sdk import Limits, MultiTurnEnv, Turn, load
from grpo_env_sdk.rollout.driver import Rollout, drive, jobs_for
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from tests.environments import Countdown, Guess, Phonebook


class Steps(MultiTurnEnv):
    """Counts how many of its calls run at once."""

    max_turns = 3
    running, lock = 0, threading.Lock()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Task {number}"} for number in range(6)]

    def setup(self, row):
        self.work()

    def step(self, action):
        self.work()
        return "on", 0.0, False, False, {}

    def work(self):
        with Steps.lock:
            Steps.running += 1
        time.sleep(0.01)
        with Steps.lock:
            Steps.running -= 1


class Together:
    """Answers all that wait, but only once all is quiet."""

    name = "together"

    def __init__(self):
        self.waiting, self.rounds = [], []

    async def respond(self, request):
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        return await answer

    def quiet(self):
        assert Steps.running == 0
        waiting, self.waiting = self.waiting, []
        self.rounds.append(len(waiting))
        for answer in waiting:
            answer.set_result(Turn({"role": "assistant", "content": "x"}))


def played(env, policy, hosts_of=ThreadHosts, limits=None, **options):
    loaded, limits = load(env), limits or Limits()
    rows = loaded.rows()

    async def collect():
        hosts = hosts_of(loaded, limits.call_seconds)
        try:
            rollout = Rollout(policy, limits=limits, **options)
            return [episode async for episode in drive(hosts, rows, rollout, jobs_for(rows))]
        finally:
            hosts.close()

    return asyncio.run(collect())


def test_it_is_quiet_only_when_no_environment_code_runs():
    policy = Together()
    episodes = played(Steps, policy, when_quiet=policy.quiet)
    assert {episode.stop_reason for episode in episodes} == {"max_turns"}
    assert [size for size in policy.rounds if size] == [6, 6, 6]


def test_an_episode_that_waits_for_a_slot_or_its_turn_to_score_keeps_nobody_from_the_next_round():
    for env, concurrency in ((Countdown, 64), (Guess, 2)):
        policy = Together()
        episodes = played(env, policy, when_quiet=policy.quiet, concurrency=concurrency)
        assert all(episode.error is None for episode in episodes)
        assert max(policy.rounds) <= concurrency


@pytest.mark.parametrize(("off_the_clock", "reason"), [(True, "terminated"), (False, "timeout")])
def test_time_off_the_clock_counts_for_neither_deadline(off_the_clock, reason):
    class Slow:
        name = "slow"

        async def respond(self, request):
            if not off_the_clock:
                await asyncio.sleep(1.0)
            with request.off_the_clock():
                await asyncio.sleep(1.0)
            return Turn({"role": "assistant", "content": "x"})

    limits = Limits(policy_seconds=0.6, episode_seconds=0.7)
    episodes = played(Countdown, Slow(), limits=limits)
    assert {episode.stop_reason for episode in episodes} == {reason}
    if off_the_clock:
        assert max(episode.timings["policy"] for episode in episodes) < 0.6


@pytest.mark.parametrize("env", [Countdown, Guess, Phonebook])
def test_every_host_is_closed_once_also_where_the_caller_leaves(env):
    closed, opened = [], []

    class Watched(ThreadHosts):
        def open(self, job):
            opened.append(job)
            host = super().open(job)
            close = host.close

            async def once():
                closed.append(job)
                await close()

            host.close = once
            return host

    policy = Together()
    played(env, policy, Watched, when_quiet=policy.quiet)
    assert sorted(closed, key=str) == sorted(opened, key=str)
    opened.clear()
    closed.clear()

    async def left():
        loaded = load(env)
        hosts = Watched(loaded)
        rows = loaded.rows()
        waiting = Together()
        episodes = drive(hosts, rows, Rollout(waiting), [Job(index) for index in rows.indices[:3]])
        first = asyncio.ensure_future(anext(episodes))
        while len(waiting.waiting) < 3:
            await asyncio.sleep(0.001)
        first.cancel()
        await asyncio.wait([first])
        await episodes.aclose()

    asyncio.run(left())
    assert sorted(closed, key=str) == sorted(opened, key=str)
    assert len(opened) == 3


def test_waits_off_the_clock_may_overlap():
    class Both:
        name = "both"

        async def respond(self, request):
            async def part(seconds):
                with request.off_the_clock():
                    await asyncio.sleep(seconds)

            await asyncio.gather(part(0.05), part(1.2))
            return Turn({"role": "assistant", "content": "x"})

    episodes = played(Countdown, Both(), limits=Limits(policy_seconds=0.8))
    assert {episode.stop_reason for episode in episodes} == {"terminated"}


def test_what_when_quiet_raises_ends_the_call():
    def broken():
        raise ZeroDivisionError("nobody is there")

    with pytest.raises(ZeroDivisionError, match="nobody is there"):
        played(Countdown, Together(), when_quiet=broken)
