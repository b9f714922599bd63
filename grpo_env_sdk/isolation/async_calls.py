"""Running and awaiting coroutines of other people's code."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.deadline import as_exception, call_in_thread

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, but it does not wait for threads of the default executor that never end."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


async def awaited(work: Awaitable[T]) -> T:
    """The result of an author's awaitable; a `sys.exit` or cancellation in it becomes an ordinary error."""
    try:
        return await work
    except SystemExit as exc:
        raise as_exception(exc) from exc
    except asyncio.CancelledError as exc:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # we cancelled it ourselves
        raise as_exception(exc) from exc


def run_coroutine(work: Coroutine[Any, Any, T] | Awaitable[T]) -> T:
    """The result of a coroutine, even if this thread already runs an event loop."""

    async def main() -> T:
        return await work

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    return call_in_thread(None, "an async call", lambda: asyncio.run(main()))


async def awaited_within(seconds: float | None, what: str, work: Any) -> Any:
    """What an awaitable gives in time; one that does not even heed its cancelling is left to itself."""
    task = asyncio.ensure_future(awaited(work))
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not task.done():
            task.cancel()
    if not task.done():
        raise DeadlineError(f"{what} did not come back within {seconds:g} s.")
    return task.result()
