"""What becomes of calls of environment code, and of their instance, where nobody waits for them any more."""

import asyncio
import threading

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.rollout.closing import close_instance
from grpo_env_sdk.rollout.env_calls import EnvCalls
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from tests.environments import Guess


class Closes(Guess):
    closed = False

    def close(self):
        self.closed = True


class Hangs:
    """A call that has begun, and goes on until it is told to leave."""

    def __init__(self):
        self.began, self.leave = threading.Event(), threading.Event()

    def __call__(self):
        self.began.set()
        self.leave.wait()


@pytest.fixture
def hangs():
    call = Hangs()
    yield call
    call.leave.set()


async def cancelled(*tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_a_call_that_is_cancelled_before_it_has_a_thread_never_runs_and_its_instance_is_closed_at_once(hangs):
    async def main():
        hosts = ThreadHosts(load(Closes), threads=1)
        first, second = (EnvCalls(hosts.loaded, hosts.pool) for _ in range(2))
        running = asyncio.create_task(first.call(None, "step", hangs))
        await asyncio.to_thread(hangs.began.wait)
        ran, instance = [], Closes()
        waiting = asyncio.create_task(second.call(None, "step", ran.append, "second"))
        await asyncio.sleep(0)
        await cancelled(running, waiting)
        assert (first.hung, second.hung) == (True, False)
        await close_instance(hosts, second, instance)
        assert (ran, instance.closed) == ([], True)

    asyncio.run(main())


def test_nothing_is_closed_once_a_late_solution_is_back(hangs):
    async def main():
        hosts, closed = ThreadHosts(load(Closes), threads=1), []
        calls = EnvCalls(hosts.loaded, hosts.pool)
        solving = asyncio.create_task(calls.call(None, "solve", hangs))
        await asyncio.to_thread(hangs.began.wait)
        await cancelled(solving)
        calls.once_back(lambda: closed.append("closed"))
        hangs.leave.set()
        while hosts.pool.left_behind:
            await asyncio.sleep(0)
        assert (calls.hung, closed) == (False, [])

    asyncio.run(main())


class ClosesSlowly(Guess):
    def __init__(self):
        self.closing, self.cut_off = threading.Event(), threading.Event()

    async def close(self):
        self.closing.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cut_off.set()


def test_a_close_that_the_end_of_the_run_cuts_off_is_no_failure_of_the_environment(hangs):
    async def main():
        hosts, instance = ThreadHosts(load(ClosesSlowly), threads=1), ClosesSlowly()
        calls = EnvCalls(hosts.loaded, hosts.pool)
        stepping = asyncio.create_task(calls.call(None, "step", hangs))
        await asyncio.to_thread(hangs.began.wait)
        await cancelled(stepping)
        await close_instance(hosts, calls, instance)
        hangs.leave.set()
        await asyncio.to_thread(instance.closing.wait)
        hosts.loaded.resources.loop.close()
        await asyncio.to_thread(instance.cut_off.wait)
        while hosts.pool.left_behind:
            await asyncio.sleep(0)
        return hosts.loaded.resources.not_closed

    assert asyncio.run(main()) == {}
