"""Running and awaiting coroutines of other people's code."""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from functools import partial
from typing import Any, TypeVar

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.deadline import as_exception, call_in_thread

T = TypeVar("T")

_here = threading.local()
"""How this thread awaits, where the event loop of a run does it."""


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, but it does not wait for threads of the default executor that never end."""
    loop = asyncio.new_event_loop()
    try:
        return run_on(loop, work)
    finally:
        close_loop(loop)


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives on this event loop, which stays open; Ctrl-C cancels it, and is raised once it ended."""

    def run(work: Coroutine[Any, Any, T]) -> T:
        asyncio.set_event_loop(loop)
        try:
            return asyncio.Runner(loop_factory=lambda: loop).run(work)
        finally:
            asyncio.set_event_loop(None)

    return _beside_running_loop(run, work)


def close_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Close an event loop after what still runs on it is cancelled."""
    for task in asyncio.all_tasks(loop):
        task.cancel()
    _beside_running_loop(loop.run_until_complete, loop.shutdown_asyncgens())
    loop.close()


def _beside_running_loop(run: Callable[[Coroutine[Any, Any, T]], T], work: Coroutine[Any, Any, T]) -> T:
    """What `run` gives for a coroutine, in another thread where this one runs an event loop, as in a notebook.

    Ctrl-C cancels it there too.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run(work)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    interrupted, ended = threading.Event(), threading.Event()

    async def main() -> T:
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in a task
        started.append((asyncio.get_running_loop(), task))
        if interrupted.is_set():  # before it began
            task.cancel()
        return await work

    def run_there() -> T:
        try:
            return run(main())
        finally:
            ended.set()

    try:
        return call_in_thread(None, "an async call", run_there)
    except KeyboardInterrupt:
        interrupted.set()
        for loop, task in started:
            with contextlib.suppress(RuntimeError):  # it ended just now, and its loop is closed
                loop.call_soon_threadsafe(task.cancel)
        ended.wait()
        raise


async def awaited(work: Awaitable[T]) -> T:
    """The result of an author's awaitable; whatever it raises becomes an ordinary error, such as a `sys.exit`."""
    task = asyncio.current_task()
    try:
        return await work
    except Exception as exc:
        as_exception(exc)  # reads its text here, in the time of the call
        raise
    except BaseException as exc:
        if _is_ours(exc, task):
            raise
        raise as_exception(exc) from exc


def _is_ours(exc: BaseException, task: "asyncio.Task[Any] | None") -> bool:
    """Whether we cancelled the task, the user interrupts this process, or a coroutine is closed that nobody awaits."""
    if isinstance(exc, asyncio.CancelledError):
        return bool(task and task.cancelling())
    if isinstance(exc, KeyboardInterrupt):
        return threading.current_thread() is threading.main_thread()
    return isinstance(exc, GeneratorExit) and _running_task() is not task


def _running_task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None


def run_coroutine(work: Coroutine[Any, Any, T] | Awaitable[T]) -> T:
    """The result of a coroutine, awaited on the event loop of the run, or else on one of its own."""
    if (await_it := getattr(_here, "await_it", None)) is not None:
        return await_it(work)  # type: ignore[no-any-return]  # what the coroutine gives

    async def main() -> T:
        return await work

    return _beside_running_loop(asyncio.run, main())


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


def awaiting_with(await_it: Callable[[Awaitable[Any]], Any], function: Callable[..., T], *args: Any) -> T:
    """What a function returns; in it, `run_coroutine` in this thread leaves awaiting to `await_it`."""
    before, _here.await_it = getattr(_here, "await_it", None), await_it
    try:
        return function(*args)
    finally:
        _here.await_it = before


class Pending:
    """An awaitable of ours around those of others, which are closed with it where nobody will await it."""

    def __init__(self, start: Callable[[], Awaitable[Any]], holds: Iterable[Any]) -> None:
        self._start, self._holds = start, holds

    def __await__(self) -> Generator[Any, None, Any]:
        return self._start().__await__()

    def __iter__(self, *_: Any) -> Any:
        """What an author does who takes it for the result."""
        self.close()
        raise TypeError("this call gives a coroutine, as a method of the class is async: await it, in an `async def`")

    __getitem__ = __iter__

    def close(self) -> None:
        """Let go of what it would await."""
        for one in self._holds:
            discard(one)


def discard(result: Any) -> None:
    """Close a result that nobody waits for any more: a coroutine would warn that it was never awaited."""
    if inspect.isawaitable(result) and hasattr(result, "close"):
        result.close()


def all_called(calls: Iterable[Callable[[], Any]]) -> list[Any]:
    """What each call gives, in order; where one raises, nobody will await what the others gave."""
    given: list[Any] = []
    try:
        for call in calls:
            given.append(call())
    except BaseException:
        for one in given:
            discard(one)
        raise
    return given


def through(work: Generator[Any, Any, T]) -> T | Awaitable[T]:
    """What a generator returns that yields what its calls gave and is sent the results; a coroutine if one is async."""
    given = None
    while True:
        try:
            given = work.send(given)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # of the generator's type
        if inspect.isawaitable(given):
            return Pending(partial(awaited_through, work, given), [given])


async def awaited_through(work: Generator[Any, Any, T], given: Any = None) -> T:
    """As `through`, always a coroutine: nothing runs before it is awaited."""
    while True:
        try:
            result = await given if inspect.isawaitable(given) else given
        except BaseException as exc:
            go_on: Callable[[], Any] = partial(work.throw, exc)
        else:
            go_on = partial(work.send, result)
        try:
            given = go_on()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # of the generator's type
