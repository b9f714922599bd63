import asyncio
import contextlib
import threading

import pytest

from grpo_env_trl.inference.batching import Batcher
from grpo_env_trl.inference.sampling import Answer


def test_waiting_for_the_batch_is_off_the_clock_and_the_generation_is_not():
    generating, go_on = threading.Event(), threading.Event()
    off = set()

    def held(answers):
        generating.set()
        go_on.wait(30)

    def clock(name):
        @contextlib.contextmanager
        def stopped():
            off.add(name)
            yield
            off.remove(name)

        return stopped

    async def both():
        batcher = Batcher(held, size=1)
        asked = [
            asyncio.create_task(batcher.written(Answer([1], 1, frozenset()), clock(name)))
            for name in ("first", "second")
        ]
        await asyncio.to_thread(generating.wait, 30)
        await asyncio.sleep(0.01)
        seen = set(off)
        go_on.set()
        await asyncio.gather(*asked)
        await batcher.close()
        return seen

    assert asyncio.run(both()) == {"second"}
    assert off == set()


def test_a_request_that_is_given_up_while_it_waits_leaves_the_others_alone():
    generating, go_on = threading.Event(), threading.Event()

    def held(answers):
        generating.set()
        go_on.wait(30)

    async def three():
        batcher = Batcher(held, size=1)
        asked = [asyncio.create_task(batcher.written(Answer([1], 1, frozenset()))) for _ in range(3)]
        await asyncio.to_thread(generating.wait, 30)
        asked[1].cancel()
        go_on.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        await batcher.close()
        return [type(outcome) for outcome in found]

    assert asyncio.run(three()) == [type(None), asyncio.CancelledError, type(None)]


def test_what_the_model_raises_reaches_everybody_of_the_batch():
    def broken(answers):
        raise ValueError(f"{len(answers)} at once")

    async def two():
        batcher = Batcher(broken, size=2)
        work = [batcher.written(Answer([1], 1, frozenset())) for _ in range(2)]
        return await asyncio.gather(*work, return_exceptions=True)

    assert [str(outcome) for outcome in asyncio.run(two())] == ["2 at once"] * 2


@pytest.mark.parametrize("size", [1, 4])
def test_every_request_is_answered_whatever_the_size_of_a_batch(size):
    batches = []

    async def ten():
        batcher = Batcher(lambda answers: batches.append(len(answers)), size)
        await asyncio.gather(*(batcher.written(Answer([1], 1, frozenset())) for _ in range(10)))

    asyncio.run(ten())
    assert (sum(batches), max(batches)) == (10, size)
