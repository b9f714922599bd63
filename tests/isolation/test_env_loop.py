import asyncio
import gc
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.deadline import ForeignExitError
from grpo_env_sdk.isolation.loops.env_loop import CallEndedError, EnvLoop, RunOverError


@pytest.fixture
def loop():
    made = EnvLoop()
    yield made
    made.close()


async def where():
    return threading.get_ident(), id(asyncio.get_running_loop())


def test_all_calls_share_one_loop_that_is_not_the_callers(loop):
    async def driver():
        here = threading.get_ident(), id(asyncio.get_running_loop())
        return here, await asyncio.gather(*(loop.start(f"call {n}", where()).within(5) for n in range(4)))

    here, found = asyncio.run(driver())
    assert {*found, loop.run(5, "a thread", where()), loop.calling(5, "a function", run_coroutine, where())} == {
        found[0]
    }
    assert here not in found


def test_a_call_that_is_late_is_cancelled_and_cleans_up(loop):
    cleaned = []

    async def hangs():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(True)

    with pytest.raises(DeadlineError, match=r"the step did not come back within 0\.1 s"):
        loop.run(0.1, "the step", hangs())
    assert cleaned == [True]


def test_a_caller_that_is_cancelled_cancels_the_call(loop):
    async def driver():
        call = loop.start("the step", asyncio.sleep(60))
        waiting = asyncio.create_task(call.within(None))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return call.ended

    assert asyncio.run(driver())


def test_time_that_other_calls_take_is_none_of_a_calls_own(loop):
    async def busy():
        for _ in range(4):
            time.sleep(0.3)
            await asyncio.sleep(0)

    async def quick():
        await asyncio.sleep(0.05)
        return "done"

    async def driver():
        calls = [loop.start("busy", busy()).within(10), loop.start("quick", quick()).within(0.8)]
        return await asyncio.gather(*calls)

    assert asyncio.run(driver()) == [None, "done"]


def test_an_exit_in_a_task_of_the_author_is_an_error_of_its_call_alone(loop):
    async def leaves():
        raise SystemExit(3)

    async def gathers():
        await asyncio.gather(leaves())

    with pytest.raises(ForeignExitError, match="SystemExit: 3"):
        loop.run(5, "the step", gathers())
    assert loop.run(5, "the next", asyncio.sleep(0, "still here")) == "still here"


def test_a_blocked_call_whose_caller_is_cancelled_twice_logs_nothing(loop, caplog):
    began, release = threading.Event(), threading.Event()

    async def blocks():
        began.set()
        release.wait(60)
        await asyncio.sleep(60)

    async def driver():
        call = loop.start("the step", blocks())
        waiting = asyncio.create_task(call.within(60))
        await asyncio.to_thread(began.wait)
        waiting.cancel()
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        release.set()
        await asyncio.to_thread(call.outcome.exception)
        await asyncio.sleep(0)

    asyncio.run(driver())
    gc.collect()
    assert "never retrieved" not in caplog.text


def test_blocking_calls_moved_to_threads_run_at_once(loop):
    together = threading.Barrier(40, timeout=20)

    async def gathers():
        await asyncio.gather(*(asyncio.to_thread(together.wait) for _ in range(40)))
        return "all"

    assert loop.run(30, "the step", gathers()) == "all"


def test_what_is_around_a_call_is_entered_for_each_of_its_steps_and_for_no_others(loop):
    depth = 0

    @contextmanager
    def around():
        nonlocal depth
        depth += 1
        try:
            yield
        finally:
            depth -= 1

    async def steps(wanted):
        async def child():
            return depth

        for _ in range(3):
            assert await asyncio.gather(child()) == [wanted]
            await asyncio.sleep(0.001)
            assert depth == wanted
        return "held"

    async def driver():
        calls = [loop.start("inside", steps(1), around).within(10), loop.start("outside", steps(0)).within(10)]
        return await asyncio.gather(*calls, loop.start("inside too", steps(1), around).within(10))

    assert asyncio.run(driver()) == ["held"] * 3
    assert depth == 0


def test_a_closed_loop_cancels_what_is_left_and_begins_anew(loop):
    ended = threading.Event()

    async def stays():
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def starts():
        starts.task = asyncio.create_task(stays())
        await asyncio.sleep(0)

    loop.run(5, "the step", starts())
    loop.close()
    assert ended.wait(10)
    assert loop.run(5, "another", asyncio.sleep(0, "again")) == "again"


@pytest.mark.parametrize("begin", ["before", "after"])
def test_a_call_that_the_end_of_the_run_cuts_off_accuses_no_code_of_the_environment(loop, begin):
    loop.run(5, "the step", asyncio.sleep(0))
    call = loop.start("its close", asyncio.sleep(60))
    if begin == "before":
        loop.run(5, "another", asyncio.sleep(0))
    loop.close()
    with pytest.raises(RunOverError, match="its close was cut off, as the run was over"):
        call.result(30)


def test_a_call_that_other_code_cancels_is_an_error_that_names_it(loop):
    async def cancels():
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def driver():
        waiting = [asyncio.create_task(loop.start(f"call {n}", asyncio.sleep(60)).within(30)) for n in range(2)]
        await loop.start("one that cancels", cancels()).within(30)
        return await asyncio.gather(*waiting, return_exceptions=True)

    found = asyncio.run(driver())
    assert [type(error) for error in found] == [CallEndedError] * 2
    assert [f"call {n} was cancelled by code of the environment" in str(error) for n, error in enumerate(found)] == [
        True
    ] * 2
    assert loop.run(30, "the next", asyncio.sleep(0, "still here")) == "still here"


@pytest.mark.parametrize("end", ["stop", "exit"])
def test_code_that_stops_the_loop_ends_no_call(loop, end):
    async def ends_it():
        here = asyncio.get_running_loop()
        here.call_soon(here.stop if end == "stop" else sys.exit)
        await asyncio.sleep(0.01)
        return "went on"

    async def driver():
        calls = [loop.start("other", asyncio.sleep(0.1, "went on")), *(loop.start("ends", ends_it()) for _ in range(2))]
        return await asyncio.gather(*(call.within(30) for call in calls))

    assert asyncio.run(driver()) == ["went on"] * 3
    assert loop.run(30, "the next", ends_it()) == "went on"


def test_code_cannot_close_the_loop_that_it_runs_on(loop):
    async def closes():
        asyncio.get_running_loop().stop()
        asyncio.get_running_loop().close()

    with pytest.raises(RuntimeError, match="Cannot close a running event loop"):
        loop.run(30, "the step", closes())
    assert loop.run(30, "the next", asyncio.sleep(0, "still here")) == "still here"


def test_a_loop_that_is_closed_all_the_same_costs_its_calls_and_is_followed_by_another(loop):
    async def closes():
        here = asyncio.get_running_loop()
        here._thread_id = None  # as if it did not run
        here.close()
        await asyncio.Event().wait()

    for _ in range(2):
        with pytest.raises(CallEndedError, match="the step was lost with its event loop"):
            loop.run(30, "the step", closes())
        assert loop.run(30, "the next", asyncio.sleep(0, "another")) == "another"
