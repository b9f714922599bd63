import asyncio
import time
import warnings

import pytest

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.rollout.loop_hold import LoopHold, StepTimer


@pytest.mark.parametrize(
    ("answers", "episodes", "told"),
    [
        ([(4.0, 4.0), (4.0, 8.0), (4.0, 12.0)], 64, True),
        ([(4.0, 4.0)], 64, False),
        ([(0.1, 1.0 + n) for n in range(600)], 64, False),
        ([(4.0, 4.0), (4.0, 8.0)], 1, False),
    ],
)
def test_a_policy_that_holds_the_loop_for_most_of_the_time_is_named_once(answers, episodes, told):
    hold = LoopHold("slow", episodes)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        for seconds, now in answers:
            hold.add(seconds, now)
    assert [str(note.message)[:56] for note in noted] == [
        "slow.respond held the event loop for 8 of 8 s, while all"
    ] * told
    assert all(note.category is GrpoEnvWarning for note in noted)


def test_the_steps_of_a_coroutine_are_timed_and_its_waiting_is_not():
    async def work(seconds):
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            time.sleep(0.1)
            return "cancelled"
        raise LookupError("late")

    async def main():
        late, cancelled = StepTimer(), StepTimer()
        with pytest.raises(LookupError, match="late"):
            await late.through(work(0.4))
        task = asyncio.create_task(cancelled.through(work(60)))
        await asyncio.sleep(0)
        task.cancel()
        assert await task == "cancelled"
        return late.seconds, cancelled.seconds

    waited, held = asyncio.run(main())
    assert waited < 0.4
    assert held >= 0.1
