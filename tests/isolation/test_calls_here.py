"""Calls in the thread of the event loop: as if none ran there, and nothing that they raise or fork ends the process."""

import asyncio
import os

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, evaluate, reward, tool
from grpo_env_sdk.isolation.calls.calls_here import CallsHere
from grpo_env_sdk.isolation.calls.deadline import ForeignExitError


def called(function, *args):
    async def call():
        try:
            return await CallsHere().call(1.0, "it", function, *args)
        finally:
            assert asyncio.get_running_loop().is_running()

    return asyncio.run(call())


async def later(value):
    await asyncio.sleep(0)
    return value


def test_a_call_may_run_an_event_loop_of_its_own():
    assert called(lambda: asyncio.run(later(7))) == 7


def leave(error):
    raise error


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), StopIteration()])
def test_what_would_end_a_loop_is_an_ordinary_error(error):
    with pytest.raises(ForeignExitError, match=type(error).__name__) as caught:
        called(leave, error)
    assert caught.value.__cause__ is error
    with pytest.raises(ZeroDivisionError):
        called(lambda: 1 / 0)


def test_a_process_that_a_call_has_forked_ends_with_it():
    parent = os.getpid()
    child = called(os.fork)
    assert os.getpid() == parent
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Looks(ToolEnv):
    """A plain tool that awaits something in a loop of its own."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Look up {n}.", "n": n} for n in range(4)]

    @tool
    def look(self, key: int) -> str:
        """Look something up.

        Args:
            key: What.
        """
        return str(asyncio.run(later(3 * key)))

    @reward
    def right(self, completion, n):
        return answer_text(completion) == str(3 * n)

    def solve(self, row):
        answered = yield call_message("look", key=row["n"])
        yield answered[-1]["content"]


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_a_plain_tool_may_await_in_a_loop_of_its_own_in_each_pool(pool):
    result = evaluate(f"{__name__}:Looks", policy="gold", env_pool=pool)
    assert {episode.reward for episode in result.episodes} == {1.0}
