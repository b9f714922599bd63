"""What `open_shared` of an environment opens: entered and left by one task, by one thread, or by the main thread."""

import asyncio
import atexit
import inspect
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from grpo_env_sdk.envs.shared_resource import ATTRIBUTE, METHOD
from grpo_env_sdk.errors import ContractError, EnvironmentFailedError, GrpoEnvError, ProcessStuckError, UsageError
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, name_of
from grpo_env_sdk.isolation.loops.env_loop import EnvLoop
from grpo_env_sdk.isolation.values.json_values import short_repr

LEAVE_SECONDS = 30.0
"""How long it may take to leave what is open."""


class OpenResource:
    """A context manager that is entered from now on, and left once `leave` is called; its value is `env.shared`."""

    def __init__(self, env: Any, loop: EnvLoop) -> None:
        self.what = f"{name_of(env)}.{METHOD}"
        self.entered: Future[None] = Future()
        self.entered.set_running_or_notify_cancel()
        self.left: Future[None] = Future()
        self.trouble: BaseException | None = None
        """What it raised after it was entered, unless `check` has reported it."""
        self._env = env
        self._wanted = True
        manager = self._manager()
        if isinstance(manager, AbstractAsyncContextManager):
            over = asyncio.Event()
            call = loop.start(self.what, self._open_in_task(manager, over))
            self._leave: Callable[[], None] = lambda: call.ask(over.set) if self.entered.done() else call.cancel()
        elif not getattr(env, "shared_on_main_thread", False):
            done = threading.Event()
            self._leave = done.set
            thread = threading.Thread(target=self._open_in_thread, args=(manager, done), daemon=True)
            thread.name = f"grpo-env {METHOD}"
            thread.start()
        else:
            self._leave = partial(self._leave_here, manager)
            self._enter_here(manager)
        atexit.register(self._leave_at_exit)

    @property
    def failure(self) -> str:
        """What it raised when it was left, as a sentence; nothing if it raised nothing."""
        return "" if self.trouble is None else f"{self.what} raised {_described(self.trouble)} when it was left."

    def leave(self) -> None:
        """Begin to leave it."""
        if self._wanted:
            self._wanted = False
            if not self.left.done():
                self._leave()

    def check(self) -> None:
        """Raise if it has ended by itself: no episode can go on without it."""
        if self._wanted and (lost := self.trouble) is not None:
            self.trouble = None
            raise ProcessStuckError(
                f"{self.what} ended in the middle of the run: {_described(lost)}.",
                "Look at what it opened: a server that ended, or a connection that was closed.",
            )

    def _manager(self) -> Any:
        env = self._env
        with self._as_failure():
            manager = getattr(env, METHOD)()
        is_async = isinstance(manager, AbstractAsyncContextManager)
        if not is_async and not isinstance(manager, AbstractContextManager):
            if inspect.iscoroutine(manager):
                manager.close()
            raise ContractError(
                f"{self.what} returned {short_repr(manager)}, which is no context manager.",
                "Decorate it with @contextmanager, or with @asynccontextmanager where it is async, and yield once.",
            )
        flag = next((name for name in _PLAIN_ONLY if getattr(env, name, False)), None)
        if is_async and flag:
            hint = f"Make it plain: {_PLAIN_ONLY[flag]}"
            raise ContractError(f"{self.what} is async, and the class sets {flag}.", hint)
        return manager

    async def _open_in_task(self, manager: AbstractAsyncContextManager[Any], over: asyncio.Event) -> None:
        with self._until_left():
            async with manager as value:
                self._give(value)
                await over.wait()

    def _open_in_thread(self, manager: AbstractContextManager[Any], over: threading.Event) -> None:
        with self._until_left(), manager as value:
            self._give(value)
            over.wait()

    def _enter_here(self, manager: AbstractContextManager[Any]) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise UsageError(
                f"{self.what} wants the main thread (shared_on_main_thread), and this run is in another one.",
                "Run it from the main thread, outside of a running event loop.",
            )
        with self._as_failure():
            self._give(manager.__enter__())

    def _leave_here(self, manager: AbstractContextManager[Any]) -> None:
        with self._until_left():
            manager.__exit__(None, None, None)

    def _give(self, value: Any) -> None:
        setattr(self._env, ATTRIBUTE, value)
        self.entered.set_result(None)

    @contextmanager
    def _until_left(self) -> Iterator[None]:
        """Note how it ends: it cannot be entered, it ends by itself, or it is left as asked for."""
        failure: BaseException | None = None
        try:
            with self._as_failure():
                yield
        except BaseException as exc:
            failure = exc
        vars(self._env).pop(ATTRIBUTE, None)
        atexit.unregister(self._leave_at_exit)
        if not self.entered.done():
            self.entered.set_exception(failure or EnvironmentFailedError(f"{self.what} was not entered."))
        else:
            self.trouble = failure
        self.left.set_result(None)

    @contextmanager
    def _as_failure(self) -> Iterator[None]:
        try:
            yield
        except (GrpoEnvError, KeyboardInterrupt):
            raise
        except BaseException as exc:
            hint = "Fix it there, or start what it connects to."
            raise EnvironmentFailedError(f"{self.what} raised {_described(exc)}.", hint) from exc

    def _leave_at_exit(self) -> None:
        self.leave()
        wait([self.left], LEAVE_SECONDS)


_PLAIN_ONLY = {
    "shared_on_main_thread": "what is async is entered by a task, on the event loop of the run.",
    "isolate_globals": "calls with isolated globals have event loops of their own.",
}
"""What a class can set that leaves no place for an async context manager, and why."""


def _described(exc: BaseException) -> str:
    """The error itself, not the groups and the errors of ours that it is in."""
    while True:
        if isinstance(exc, BaseExceptionGroup):
            exc = exc.exceptions[0]
        elif isinstance(exc, EnvironmentFailedError) and exc.__cause__ is not None:
            exc = exc.__cause__
        else:
            return describe_error(exc)
