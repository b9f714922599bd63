import asyncio
import random
import time
from email.utils import formatdate, parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grpo_env_sdk.policies.retry import RETRIED, AdaptiveGate, Retries, RetryBudget, asked_seconds

WAITS = Retries(first_wait=0.5, longest_wait=60.0)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(status):
    assert status in RETRIED


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not(status):
    assert status not in RETRIED


@given(st.integers(0, 100), st.integers())
def test_waits_double_with_full_jitter_up_to_a_limit(attempt, seed):
    assert 0 <= WAITS.wait_seconds(attempt, None, random.Random(seed)) <= min(60.0, 0.5 * 2**attempt)


def test_full_jitter_draws_from_the_whole_range():
    rng = random.Random(1)
    waits = [WAITS.wait_seconds(3, None, rng) for _ in range(2000)]
    assert min(waits) < 0.1
    assert max(waits) > 3.9
    assert sum(waits) / len(waits) == pytest.approx(2.0, abs=0.1)


@given(st.floats(0, 50), st.integers())
def test_a_wait_that_was_asked_for_is_kept_and_a_little_more(seconds, seed):
    waited = WAITS.wait_seconds(0, str(seconds), random.Random(seed))
    assert min(seconds, 60.0) <= waited <= min(60.0, seconds * 1.1 + 0.5)


def test_a_date_to_come_back_at_is_understood_and_one_that_is_over_means_now():
    date = formatdate(int(time.time()) + 30, usegmt=True)
    least = parsedate_to_datetime(date).timestamp()
    before, asked, after = least - time.time(), asked_seconds(date), least - time.time()
    assert after <= asked <= before <= 30
    assert asked_seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


@pytest.mark.parametrize(
    "header", [None, "", "soon", "Wed, 99 Foo 2015", "1;2", "\x00", "Mon, 01 Jan 0001 00:00:00 -0000"]
)
def test_a_header_that_says_nothing_readable_asks_for_nothing_or_for_now(header):
    assert not asked_seconds(header)


@given(st.text() | st.floats().map(str) | st.dates().map(str), st.integers(0, 20))
def test_whatever_a_header_says_the_wait_is_finite(header, attempt):
    assert 0 <= WAITS.wait_seconds(attempt, header, random.Random(1)) <= 60.0


def test_a_budget_holds_for_all_requests_together_and_grows_with_successes():
    budget = RetryBudget(2, per_success=0.5)
    assert [budget.take() for _ in range(3)] == [True, True, False]
    budget.succeeded()
    assert not budget.take()
    budget.succeeded()
    assert budget.take()


def test_a_budget_is_enough_for_one_wave_unless_it_is_given():
    for retries, expected in ((Retries(attempts=3), 12), (Retries(attempts=3, budget=5), 5)):
        budget = retries.budget_for(concurrency=4)
        assert sum(budget.take() for _ in range(100)) == expected


class Crowd:
    """So many tasks that go through a gate, and how many were inside together."""

    def __init__(self, gate: AdaptiveGate, many: int, seconds: float = 0.001) -> None:
        self.gate, self.many, self.seconds = gate, many, seconds
        self.inside = self.most = 0
        self.order: list[int] = []

    async def member(self, number: int) -> None:
        async with self.gate:
            self.order.append(number)
            self.inside += 1
            self.most = max(self.most, self.inside)
            await asyncio.sleep(self.seconds)
            self.inside -= 1

    async def go(self) -> None:
        await asyncio.gather(*(self.member(number) for number in range(self.many)))


def test_a_gate_lets_in_so_many_at_once_and_the_others_in_order():
    crowd = Crowd(AdaptiveGate(3), 20)
    asyncio.run(crowd.go())
    assert crowd.most == 3
    assert crowd.order == list(range(20))


def test_a_gate_halves_once_for_all_that_were_refused_together():
    async def refuse_a_wave():
        gate = AdaptiveGate(16)
        async with gate, gate:
            together = gate.shrunk
            gate.refused(together)
            gate.refused(together)
        limits = [gate.limit]
        async with gate:
            gate.refused(together)
            limits.append(gate.limit)
            gate.refused(gate.shrunk)
            limits.append(gate.limit)
        return limits

    assert asyncio.run(refuse_a_wave()) == [8, 8, 4]


def test_a_gate_that_shrank_to_one_still_lets_one_in_and_grows_again():
    async def shrink_and_grow():
        gate = AdaptiveGate(8)
        for _ in range(10):
            async with gate:
                gate.refused(gate.shrunk)
        assert gate.limit == 1
        crowd = Crowd(gate, 5)
        await crowd.go()
        assert crowd.most == 1
        for _ in range(200):
            gate.succeeded()
        return gate.limit

    assert asyncio.run(shrink_and_grow()) == 8


def test_growing_lets_in_those_who_wait():
    async def grow():
        gate = AdaptiveGate(2)
        async with gate:
            gate.refused(gate.shrunk)
            waiting = asyncio.create_task(Crowd(gate, 1).go())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not waiting.done()
            gate.succeeded()  # from 1 to 2
            await asyncio.wait_for(waiting, 1)

    asyncio.run(grow())


@pytest.mark.parametrize("moment", ["still waiting", 0, 1, 2])
def test_one_who_gives_up_at_any_moment_takes_no_place_away(moment):
    async def give_up():
        gate = AdaptiveGate(1)
        async with gate:
            first = asyncio.create_task(Crowd(gate, 1).go())
            second = asyncio.create_task(Crowd(gate, 1).go())
            await asyncio.sleep(0.001)
            if moment == "still waiting":
                first.cancel()
        for _ in range(moment if isinstance(moment, int) else 0):
            await asyncio.sleep(0)
        first.cancel()  # at moment 0 it has been let in and does not know yet
        await asyncio.wait_for(second, 1)
        await asyncio.wait_for(Crowd(gate, 3).go(), 1)
        await asyncio.gather(first, return_exceptions=True)

    asyncio.run(give_up())
