"""Isolated code has its own random state, prints and precision, and leaves the process unchanged."""

import asyncio
import decimal
import random
import sys
import threading
import time

import pytest

from grpo_env_sdk.errors import DeadlineError, ProcessStuckError
from grpo_env_sdk.isolation.calls.deadline import call_in_thread
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
from grpo_env_sdk.isolation.process_state.global_state import IsolatedGlobalState, needs_isolation


def test_the_random_state_continues_from_one_call_to_the_next_and_restarts_with_a_seed():
    isolated = IsolatedGlobalState(7)
    before = random.getstate()
    drawn = []
    for _ in range(2):
        with isolated.inside():
            drawn.append(random.random())
    expected = random.Random(7)
    assert drawn == [expected.random(), expected.random()]
    assert random.getstate() == before
    isolated.seed(7)
    with isolated.inside():
        assert random.random() == drawn[0]


@pytest.mark.parametrize(("work", "needs"), [(random.random, True), (lambda: print("x"), True), (lambda: 5, False)])
def test_code_that_draws_or_prints_needs_isolation(work, needs, capsys):
    before = random.getstate()
    assert needs_isolation(work) is needs
    assert random.getstate() == before
    assert capsys.readouterr() == ("", "")


def test_what_is_printed_inside_goes_to_stderr_and_what_others_print_does_not(capsys):
    def other():
        print("from another thread")

    with IsolatedGlobalState(0).inside():
        print("from inside", flush=True)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert sys.stdout.isatty() is False
    print("after")
    assert capsys.readouterr() == ("from another thread\nafter\n", "from inside\n")


def test_threads_wait_for_their_turn_however_long_it_takes():
    def work(seed, found):
        isolated = IsolatedGlobalState(seed)
        for _ in range(2):
            with isolated.inside():
                found.append(random.random())
                time.sleep(0.005)
                found.append(random.random())

    found = [[] for _ in range(32)]
    threads = [threading.Thread(target=work, args=(seed, found[seed])) for seed in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, drawn in enumerate(found):
        expected = random.Random(seed)
        assert drawn == [expected.random() for _ in range(4)]


def test_the_time_that_a_call_waits_for_others_is_not_its_own():
    def work():
        with IsolatedGlobalState(0).inside():
            time.sleep(0.1)
        return "done"

    async def main():
        pool = ThreadPool(16)
        return await asyncio.gather(*(pool.call(0.8, f"call {n}", work) for n in range(16)), return_exceptions=True)

    assert asyncio.run(main()) == ["done"] * 16
    threads = [threading.Thread(target=lambda: found.append(call_in_thread(0.8, "a call", work))) for _ in range(16)]
    found = []
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["done"] * 16


@pytest.mark.parametrize("gives_up", [False, True], ids=["its deadline", "the caller gave up before"])
def test_whoever_hangs_inside_is_the_reason_that_the_others_get(gives_up):
    leave = threading.Event()

    def hang():
        with IsolatedGlobalState(0).inside():
            entered.set()
            leave.wait()
        left.set()

    def draw():
        with IsolatedGlobalState(1).inside():
            return random.random()

    async def main():
        pool = ThreadPool()
        hanging = asyncio.create_task(pool.call(0.3, "the step of row 7", hang))
        await asyncio.to_thread(entered.wait)
        waiting = asyncio.create_task(pool.call(0.05, "another step", draw))
        if gives_up:
            hanging.cancel()
        with pytest.raises(asyncio.CancelledError if gives_up else DeadlineError):
            await hanging
        with pytest.raises(ProcessStuckError, match="the step of row 7"):
            await waiting
        leave.set()
        await asyncio.to_thread(left.wait)
        return await pool.call(10, "a later step", draw)

    entered, left = threading.Event(), threading.Event()
    try:
        assert asyncio.run(main()) == random.Random(1).random()
    finally:
        leave.set()


def test_the_precision_of_decimals_is_the_default_inside_and_untouched_outside():
    with decimal.localcontext(prec=5):
        with IsolatedGlobalState(0).inside():
            assert decimal.getcontext().prec == 28
            decimal.getcontext().prec = 3
        assert decimal.getcontext().prec == 5


def test_what_raises_inside_leaves_the_process_as_it_was():
    before = random.getstate()
    with pytest.raises(KeyError), IsolatedGlobalState(0).inside():
        raise KeyError("x")
    assert random.getstate() == before
