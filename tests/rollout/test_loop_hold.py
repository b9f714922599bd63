import asyncio
import warnings

import pytest

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.rollout import loop_hold
from grpo_env_sdk.rollout.loop_hold import LoopHold, StepTimer
from tests.environments import Countdown
from tests.rollout.played import Says, play


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now

    def pass_by(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(loop_hold, "time", clock)
    return clock


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([(4.0, 4.0), (4.0, 8.0), (4.0, 12.0)], True),
        ([(4.0, 4.0)], False),
        ([(0.1, 1.0 + n) for n in range(600)], False),
    ],
)
def test_a_policy_that_holds_the_loop_for_most_of_the_time_is_named_once(answers, told):
    hold = LoopHold("slow")
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        for seconds, now in answers:
            hold.add(seconds, now)
    assert [str(note.message)[:56] for note in noted] == [
        "slow.respond held the event loop for 8 of 8 s, while all"
    ] * told
    assert all(note.category is GrpoEnvWarning for note in noted)


@pytest.mark.parametrize(("concurrency", "held"), [(2, [9.0, 9.0]), (1, [])])
def test_a_policy_holds_up_only_what_runs_beside_it(clock, monkeypatch, concurrency, held):
    class Blocks(Says):
        async def respond(self, request):
            await all_ask.wait()
            clock.pass_by(9.0)
            return await super().respond(request)

    seen, all_ask = [], asyncio.Barrier(concurrency)
    monkeypatch.setattr(LoopHold, "add", lambda hold, seconds, now: seen.append(seconds))
    play(Countdown, Blocks("x"), rows=2, concurrency=concurrency)
    assert seen == held


def test_the_long_steps_of_a_coroutine_are_timed_and_its_waiting_is_not(clock):
    async def work():
        clock.pass_by(0.04)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            clock.pass_by(3.0)
            raise LookupError("late") from None

    async def main():
        timer = StepTimer()
        task = asyncio.create_task(timer.through(work()))
        await asyncio.sleep(0)
        clock.pass_by(500.0)
        task.cancel()
        with pytest.raises(LookupError, match="late"):
            await task
        return timer.seconds

    assert asyncio.run(main()) == 3.0
