"""Tools that fail, take too long, or are async."""

import asyncio
import threading
import time
from typing import Any

import pytest

from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.calls.deadline import raised_there
from grpo_env_sdk.tools.tool import tool
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall, ToolOutcome
from tests.tools.hotel_box import error, refusal, run, schema

# Tools that fail


class Stubborn(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (ValueError("no such city"), "ValueError: no such city"),
        (KeyError("Lyon"), "KeyError: 'Lyon'"),
        (StopIteration(), "StopIteration: "),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (Stubborn(), "Stubborn: <its text cannot be read: RuntimeError>"),
        (ValueError("x" * 10**6), "ValueError: " + "x" * 988),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_ordinary_exception_of_a_tool_is_answered(raised, message, timeout):
    def fail() -> None:
        """Fail."""
        raise raised

    outcome = run(Toolbox([fail], timeout=timeout), "fail")
    assert outcome.error == "tool_failed"
    assert error(outcome)["message"] == message
    assert "test_failing_tools.py" in outcome.detail
    assert "test_failing_tools.py" not in outcome.content


@pytest.mark.parametrize(
    "raised",
    [EnvironmentFailedError("the container is gone"), MemoryError(), SystemExit(3), asyncio.CancelledError("gone")],
    ids=repr,
)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_what_says_that_the_environment_failed_is_raised(raised, timeout):
    def fail() -> None:
        """Fail."""
        raise raised

    async def fail_later() -> None:
        """Fail."""
        raise raised

    async def awaited(box: Toolbox) -> None:
        await box.run_async(ToolCall("1", next(iter(box.tools)), {}))

    for box in (Toolbox([fail], timeout=timeout), Toolbox([fail_later], timeout=timeout)):
        for run_it in (lambda box: run(box, next(iter(box.tools))), lambda box: asyncio.run(awaited(box))):
            with pytest.raises((RuntimeError, MemoryError)) as caught:
                run_it(box)
            assert raised_there(caught.value) is raised


def test_a_tool_that_recurses_without_end_is_answered():
    def again() -> Any:
        """Again."""
        return again()

    assert refusal(Toolbox([again]), "tool_failed", "again")["message"].startswith("RecursionError: ")


def test_a_keyboard_interrupt_is_no_answer():
    def interrupted() -> None:
        """Be interrupted."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Toolbox([interrupted]), "interrupted")


# Deadlines


def test_a_tool_that_runs_out_of_time_is_answered():
    release = threading.Event()

    def hang() -> None:
        """Hang."""
        release.wait(10)

    began = time.perf_counter()
    told = refusal(Toolbox([hang], timeout=0.05), "timeout", "hang")
    release.set()
    assert told == {"message": "The tool 'hang' did not come back within 0.05 s."}
    assert time.perf_counter() - began < 5


def test_the_deadline_of_a_tool_wins_over_that_of_its_box():
    @tool(timeout=0.05)
    def hang() -> None:
        """Hang."""
        time.sleep(5)

    assert "0.05 s" in refusal(Toolbox([hang], timeout=60), "timeout", "hang")["message"]


def test_a_timeout_of_the_tools_own_is_told_in_its_words():
    def ask() -> None:
        """Ask."""
        raise TimeoutError("the server is slow")

    assert refusal(Toolbox([ask]), "timeout", "ask") == {
        "message": "The tool ran out of time. TimeoutError: the server is slow"
    }


# Async tools


async def wait_for_it(seconds: float, answer: str) -> str:
    """Wait, then answer."""
    await asyncio.sleep(seconds)
    return answer


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_async_tool_is_awaited(timeout):
    assert run(Toolbox([wait_for_it], timeout=timeout), "wait_for_it", seconds=0, answer="here").content == "here"


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_async_tool_is_awaited_where_a_loop_already_runs(timeout):
    async def main() -> ToolOutcome:
        return run(Toolbox([wait_for_it], timeout=timeout), "wait_for_it", seconds=0, answer="here")

    assert asyncio.run(main()).content == "here"


def test_an_async_tool_that_runs_out_of_time_is_cancelled():
    cancelled = threading.Event()

    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(10)
        finally:
            cancelled.set()

    assert refusal(Toolbox([hang], timeout=0.05), "timeout", "hang")["message"]
    assert cancelled.wait(5)


def test_an_async_tool_that_raises_is_answered():
    async def fail() -> None:
        """Fail."""
        raise ValueError("no")

    async def inside_a_loop() -> ToolOutcome:
        return run(box, "fail")

    for box in (Toolbox([fail]), Toolbox([fail], timeout=5)):
        assert run(box, "fail").error == "tool_failed"
        assert asyncio.run(inside_a_loop()).error == "tool_failed"


def test_a_fallback_may_be_async():
    async def call_tool(name: str, arguments: dict[str, Any]) -> str:
        return f"{name} {arguments}"

    assert run(Toolbox([schema()], fallback=call_tool), "look", a=1).content == "look {'a': 1}"
