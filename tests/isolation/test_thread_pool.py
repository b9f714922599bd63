"""Calls in threads: each has its own deadline, and no thread stays after the last one."""

import asyncio
import inspect
import threading
import time

import pytest

from grpo_env_sdk import Toolbox, tool
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
from grpo_env_sdk.types import ToolCall

SOON = 0.3


@pytest.fixture
def hang():
    released = threading.Event()
    yield released.wait
    released.set()


async def late_or_value(pool, function, seconds=SOON):
    try:
        return await pool.call(seconds, "it", function)
    except DeadlineError:
        return "late"


def test_each_call_has_its_own_deadline(hang):
    async def play():
        pool = ThreadPool(8)
        calls = [(hang, SOON), (lambda: 1, 3600.0), (hang, SOON), (lambda: 2, None), (hang, 2 * SOON)]
        return await asyncio.gather(*(late_or_value(pool, *call) for call in calls)), pool.left_behind

    assert asyncio.run(play()) == (["late", 1, "late", 2, "late"], 3)


def test_a_call_that_begins_later_is_late_later(hang):
    async def play():
        pool, loop = ThreadPool(8), asyncio.get_running_loop()
        first = asyncio.create_task(late_or_value(pool, hang))
        await asyncio.sleep(SOON / 2)
        second = asyncio.create_task(late_or_value(pool, hang))
        began = loop.time()
        await asyncio.sleep(0)
        assert await first == "late"
        assert await second == "late"
        return loop.time() - began

    assert asyncio.run(play()) >= SOON * 0.99


def test_a_pool_keeps_its_deadlines_in_another_event_loop(hang):
    pool = ThreadPool(8)
    assert asyncio.run(late_or_value(pool, hang)) == "late"
    assert asyncio.run(late_or_value(pool, lambda: 1, 3600.0)) == 1
    assert asyncio.run(late_or_value(pool, hang)) == "late"


def test_tools_that_are_run_in_a_loop_leave_no_threads():
    @tool
    def add(one: int, other: int) -> int:
        """Add two numbers."""
        return one + other

    async def play():
        box = Toolbox([add])
        outcomes = [await box.run_async(ToolCall(str(at), "add", {"one": at, "other": 1})) for at in range(20)]
        assert [outcome.content for outcome in outcomes] == [str(at + 1) for at in range(20)]

    before = set(threading.enumerate())
    asyncio.run(play())
    for thread in set(threading.enumerate()) - before:
        if thread.name == "grpo-env pool":
            thread.join(60)
            assert not thread.is_alive()


def test_short_calls_one_after_another_share_a_thread():
    async def main():
        pool = ThreadPool(8)
        threads = {await pool.call(5, "short", threading.get_ident) for _ in range(20)}
        pool.close()
        return threads

    assert len(asyncio.run(main())) == 1


@pytest.mark.parametrize("comes", ["before its loop is closed", "after it"])
def test_what_comes_back_when_nobody_waits_any_more_is_closed(comes):
    loop, pool = asyncio.new_event_loop(), ThreadPool(1)
    go_on, closed = threading.Event(), threading.Event()

    async def answer():
        return 42

    class Answer:
        coroutine = answer()

        def __await__(self):
            return self.coroutine.__await__()

        def close(self):
            self.coroutine.close()
            closed.set()

    def give():
        go_on.wait()
        return Answer()

    assert loop.run_until_complete(late_or_value(pool, give)) == "late"
    if comes == "after it":
        loop.close()
        go_on.set()
    else:
        go_on.set()
        while not pool._returning[loop]._given:
            time.sleep(0.01)
        loop.close()
        pool.close()
    assert closed.wait(20)
    assert inspect.getcoroutinestate(Answer.coroutine) == inspect.CORO_CLOSED
