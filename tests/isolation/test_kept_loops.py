"""Event loops that run one coroutine after another."""

import asyncio
import threading

import pytest

from grpo_env_sdk.isolation.loops.kept_loops import KeptLoops


async def the_loop(pool) -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_one_coroutine_after_another_has_the_same_loop():
    loops = KeptLoops()
    assert loops.run(the_loop) is loops.run(the_loop)


def test_the_threads_of_a_loop_are_kept_with_it():
    loops, threads = KeptLoops(), set()

    async def in_a_thread(pool):
        threads.add(await pool.call(5.0, "a call", threading.current_thread))

    for _ in range(3):
        loops.run(in_a_thread)
    (thread,) = threads
    loops.close()
    thread.join(5.0)
    assert not thread.is_alive()


def test_a_coroutine_in_the_middle_of_another_has_a_loop_of_its_own():
    loops = KeptLoops()

    async def outer(pool):
        return asyncio.get_running_loop(), await asyncio.to_thread(loops.run, the_loop)

    one, other = loops.run(outer)
    assert one is not other
    assert not one.is_closed()
    assert not other.is_closed()


def test_a_thread_that_runs_an_event_loop_uses_another_one_beside_it():
    loops = KeptLoops()

    async def fails(pool):
        raise KeyError(asyncio.get_running_loop())

    async def cell():
        kept = loops.run(the_loop)
        assert loops.run(the_loop) is kept
        with pytest.raises(KeyError) as raised:
            loops.run(fails)
        assert raised.value.args[0] is kept
        assert kept.is_closed()

    asyncio.run(cell())


def test_a_loop_on_which_something_failed_or_still_runs_is_not_used_again():
    loops = KeptLoops()

    async def fails(pool):
        raise KeyError(asyncio.get_running_loop())

    async def leaves_a_task(pool):
        left.append(asyncio.ensure_future(asyncio.sleep(60)))
        return asyncio.get_running_loop()

    left = []
    with pytest.raises(KeyError) as raised:
        loops.run(fails)
    assert raised.value.args[0].is_closed()
    assert loops.run(leaves_a_task).is_closed()
    assert left[0].cancelled()


def test_they_are_closed_on_request_and_with_their_owner():
    loops = KeptLoops()
    loop = loops.run(the_loop)
    loops.close()
    assert loop.is_closed()
    loop = loops.run(the_loop)
    del loops
    assert loop.is_closed()


def test_an_owner_that_goes_while_another_loop_runs_closes_its_own():
    owners = [KeptLoops()]
    loop = owners[0].run(the_loop)

    async def drops_it(pool):
        owners.clear()

    KeptLoops().run(drops_it)
    assert loop.is_closed()
