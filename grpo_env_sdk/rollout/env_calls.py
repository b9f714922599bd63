"""Calls of the environment code of one episode: in threads or on the event loop of the run, under a deadline."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
from grpo_env_sdk.isolation.loops.step_clock import Around
from grpo_env_sdk.isolation.process_state.global_state import IsolatedGlobalState


class EnvCalls:
    """Plain functions run in a thread of the pool; what is awaitable is awaited on the one loop of all episodes."""

    def __init__(self, loaded: LoadedEnv, pool: ThreadPool) -> None:
        self._loaded = loaded
        self._pool = pool
        self.hung = False
        """Whether code of the instance may still be running, so that nothing else can use it."""
        self._left: _ThreadCall | None = None
        self.isolated: IsolatedGlobalState | None = None
        self.around_steps: Around = nullcontext
        """Entered for each step of async code, from one await to the next."""

    async def call(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        """What a function gives, awaited if need be; with isolated globals all of it happens in the thread."""
        if self.isolated:
            return await self._in_thread(seconds, what, self.isolated.call, function, *args)
        if inspect.iscoroutinefunction(function):
            return await self._awaited(seconds, what, function(*args))
        started = time.monotonic()
        calling = self._loaded.resources.loop.calling
        value = await self._in_thread(seconds, what, calling, seconds, what, function, *args)
        return await self._awaited(seconds, what, value, started) if inspect.isawaitable(value) else value

    async def _awaited(self, seconds: float | None, what: str, work: Awaitable[Any], began: float | None = None) -> Any:
        call = self._loaded.resources.loop.start(f"{self._loaded.spec.id}: {what}", work, self.around_steps)
        try:
            return await call.within(seconds, began)
        finally:
            self.hung = self.hung or not call.ended

    async def _in_thread(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        call = _ThreadCall(function)
        try:
            return await self._pool.call(seconds, f"{self._loaded.spec.id}: {what}", call, *args)
        except (DeadlineError, asyncio.CancelledError):
            if call.is_left() and what != "solve":
                self.hung, self._left = True, call
            raise

    def once_back(self, then: Callable[[], None]) -> None:
        """Call `then` in a thread once the call that was left in its thread is back; never where async code hangs."""
        if self._left is not None:
            self._left.once_back(then)


class _ThreadCall:
    """A call in a thread, which may be followed by another where nobody has waited for it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._then: Callable[[], None] | None = None
        self._began = self._given_up = self._is_back = False
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        with self._lock:
            if self._given_up:
                return None
            self._began = True
        try:
            return self._function(*args)
        finally:
            with self._lock:
                self._is_back = True
            if self._then is not None:
                self._then()

    def is_left(self) -> bool:
        """Whether it has begun, once nobody waits for it; one that has not never will."""
        with self._lock:
            self._given_up = True
            return self._began

    def once_back(self, then: Callable[[], None]) -> None:
        with self._lock:
            if not self._is_back:
                self._then = then
                return
        threading.Thread(target=then, name="grpo-env closes", daemon=True).start()
