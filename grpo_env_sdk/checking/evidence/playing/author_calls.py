"""The author's own functions, called by hand: on an instance of a check, awaited, and with a deadline."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from grpo_env_sdk.checking.evidence.playing.env_under_test import EnvUnderTest
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError, failure_of_call
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.traits import is_multi_turn
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.deadline import call_in_thread
from grpo_env_sdk.types import row_seed


class AuthorCalls(EnvUnderTest):
    """Calls `reset`, tools, `solve` and what else an environment has, outside of an episode of the driver."""

    @property
    def call_seconds(self) -> float:
        """The deadline of a call: that of the class, or the usual one of checks."""
        loaded = self.recall("loaded")
        return (loaded.traits.call_seconds if loaded else None) or self.settings.call_seconds

    def close(self) -> None:
        """Close the environment itself, if a check has begun an episode on it, and what its runs share."""
        loaded = self.recall("loaded")
        books = books_of(loaded.env) if loaded else None
        if books is not None and books.messages:
            with suppress(FailedHereError):
                self.call("close", loaded.env.close)
        self.let_go()

    @contextmanager
    def instance(self, row: int | None = None) -> Iterator[Any]:
        """An instance of an episode, which is closed afterwards, unless a call of it still hangs."""
        self.hold_open()
        env = self.without_coroutines(self.call("an instance", self.loaded.instance, row=row))
        hung = False
        try:
            yield env
        except FailedHereError as exc:
            hung = isinstance(exc.__cause__, DeadlineError)
            raise
        finally:
            if not hung and self.traits.instances != "shared" and callable(close := getattr(env, "close", None)):
                with suppress(FailedHereError):  # E313 reports it
                    self.call("close", close)

    @contextmanager
    def opened(self, row: int) -> Iterator[Any]:
        """An instance on which the episode of a row has begun."""
        with self.instance(row) as env:
            self.reset(env, row)
            yield env

    def reset(self, env: Any, row: int) -> None:
        """Begin the episode of a row on an instance; a plain class has nothing to begin."""
        if is_multi_turn(env):
            data = self.row(row)
            self.call("reset", env.reset, seed=row_seed(data), options=data, row=row)

    def without_coroutines(self, env: Any) -> Any:
        """An instance whose `reset`, `step` and `close` give results, also where its class is async."""
        books = books_of(env)
        if books is None or not books.is_async:
            return env
        from grpo_env_sdk.envs.awaited_env import AwaitedEnv  # imports gymnasium, which single-turn classes do without

        return AwaitedEnv(self.loaded, env, self.call_seconds)

    def call(
        self, what: str, function: Callable[..., Any], /, *args: Any, row: int | None = None, **kwargs: Any
    ) -> Any:
        """The result of a function of the environment, awaited and with a deadline; raises `FailedHereError`."""
        self.note_stage(what, row)

        def work() -> Any:
            value = function(*args, **kwargs)
            return run_coroutine(value) if inspect.isawaitable(value) else value

        loaded, seconds = self.recall("loaded"), self.call_seconds
        called = loaded.isolated(work) if loaded else work
        if loaded and not loaded.traits.isolate_globals:
            called = partial(loaded.resources.loop.calling, seconds, what, work)
        try:
            return call_in_thread(seconds, f"{self.spec.id}: {what}", called)
        except FailedHereError:
            raise
        except (Exception, SystemExit) as exc:
            raise failure_of_call(what, exc, row) from exc
