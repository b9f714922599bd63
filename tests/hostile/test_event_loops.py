"""Async code that cancels, stops or closes what it shares with other episodes: the run goes on."""

import asyncio
import sys

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, evaluate, reward, tool

POOLS = pytest.mark.parametrize("pool", ["thread", "process"])


class Looks(ToolEnv):
    """Rows whose tool is async."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}.", "number": number} for number in range(4)]

    def solve(self, row):
        yield call_message("look")
        yield "seen"

    @reward
    def right(self, completion):
        return answer_text(completion) == "seen"

    @tool
    async def look(self) -> str:
        """Look around."""
        await self.act(self.row["number"])
        return "here"

    async def act(self, number):
        """What the tool does."""


class CancelsAll(Looks):
    """Row 2 cancels the calls of all other rows, once they are all there."""

    async def act(self, number):
        while number == 2 and len(asyncio.all_tasks()) < 4:
            await asyncio.sleep(0.01)
        if number == 2:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
        else:
            await asyncio.Event().wait()


class CancelsItself(Looks):
    async def act(self, number):
        if number in (1, 2):
            asyncio.current_task().cancel()
            await asyncio.sleep(0)


class Stops(Looks):
    async def act(self, number):
        if number in (1, 2):
            asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)


class Exits(Looks):
    async def act(self, number):
        if number in (1, 2):
            asyncio.get_running_loop().call_soon(sys.exit)
        await asyncio.sleep(0.01)


class Closes(Looks):
    async def act(self, number):
        if number in (1, 2):
            asyncio.get_running_loop().stop()
            asyncio.get_running_loop().close()


def test_calls_that_another_row_cancels_are_the_errors_of_their_episodes_and_name_the_tool():
    found = evaluate(CancelsAll, "gold", split="all", env_pool="thread", concurrency=4)
    errors = {one.row_index: one.error for one in found.kept}
    assert errors.pop(2) is None
    assert {(error.whose, error.stage, error.type) for error in errors.values()} == {
        ("environment", "tools", "CallEndedError")
    }
    assert all("the tool 'look' was cancelled by code of the environment" in one.message for one in errors.values())


@POOLS
def test_a_call_that_cancels_itself_is_the_error_of_its_episode(pool):
    found = evaluate(CancelsItself, "gold", split="all", env_pool=pool, env_workers=None if pool == "thread" else 1)
    ended = {one.row_index: one.error and one.error.type for one in found.kept}
    assert ended == {0: None, 1: "CallEndedError", 2: "CallEndedError", 3: None}


@POOLS
@pytest.mark.parametrize("cls", [Stops, Exits, Closes])
def test_code_that_ends_the_event_loop_costs_no_episode(cls, pool):
    found = evaluate(cls, "gold", split="all", env_pool=pool, env_workers=None if pool == "thread" else 1)
    assert [(one.reward, one.error) for one in found.kept] == [(1.0, None)] * 4
