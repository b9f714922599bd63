"""One environment instance for one episode: carries out what `LiveEpisode` asks for, and never raises."""

import asyncio
import inspect
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.async_calls import awaited
from grpo_env_sdk.isolation.deadline import ForeignExitError
from grpo_env_sdk.isolation.thread_pool import ThreadPool, TooManyLeftBehindError
from grpo_env_sdk.isolation.tracebacks import short_traceback
from grpo_env_sdk.rewards.scorer import Scorer, settle
from grpo_env_sdk.rollout.episode import (
    Event,
    Failed,
    Limits,
    Opened,
    Reset,
    RunTools,
    Scored,
    ScoreEpisode,
    Step,
    Stepped,
    ToolsRan,
)
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Episode, Fault, Row, Score, ToolCall, ToolOutcome

CLOSE_SECONDS = 5.0


class EpisodeHost:
    """Does the environment's part of one episode, in the pool's threads and under the limits' deadlines."""

    def __init__(
        self,
        loaded: LoadedEnv,
        pool: ThreadPool,
        limits: Limits,
        *,
        model: Any = None,
        training: bool = False,
        around_score: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self.loaded = loaded
        self.pool = pool
        self.limits = limits
        self.model = model
        self.training = training
        self.around_score = around_score
        self._own_instance: Any = None
        self.toolbox: Toolbox | None = None
        self.hung = False

    @property
    def instance(self) -> Any:
        """The environment of this episode: one of its own, or the shared one."""
        return self.loaded.env if self.loaded.traits.instances == "shared" else self._own_instance

    async def perform(self, command: Reset | RunTools | Step | ScoreEpisode) -> Event:
        """The event that tells how it went."""
        started = time.perf_counter()
        stage, work = self._work(command)
        try:
            event: Event = await work
        except TooManyLeftBehindError:
            raise
        except asyncio.CancelledError:
            self.hung = True  # its code may still be running
            raise
        except Exception as exc:
            event = self._failed(stage, exc)
        return replace(event, seconds=time.perf_counter() - started)

    async def close(self) -> None:
        """Close an instance that was made for this episode alone; replace a shared one that hangs."""
        if self.loaded.traits.instances == "shared":
            if self.hung:
                what = f"{self.loaded.spec.id}: making it anew"
                await self.pool.call(self.loaded.build_timeout, what, self.loaded.replace_instance)
        elif not self.hung and callable(getattr(self._own_instance, "close", None)):
            seconds = min(self.limits.call_seconds or CLOSE_SECONDS, CLOSE_SECONDS)
            with suppress(Exception):  # the episode is recorded, however its instance is put away
                await self.pool.call(seconds, f"{self.loaded.spec.id}: close", self._own_instance.close)

    def _work(self, command: Any) -> tuple[str, Any]:
        match command:
            case Reset():
                return "reset", self._reset(command)
            case RunTools():
                return "tools", self._run_tools(command)
            case Step():
                return "step", self._step(command)
            case ScoreEpisode():
                return "score", self._score(command.episode)
        raise TypeError(f"{command!r:.80} is nothing that an environment does")

    async def _call(self, what: str, function: Callable[..., Any], *args: Any) -> Any:
        return await self.pool.call(self.limits.call_seconds, f"{self.loaded.spec.id}: {what}", function, *args)

    async def _reset(self, command: Reset) -> Event:
        if self.loaded.traits.instances == "shared":
            self._open_toolbox()
            return Opened()
        observation = await self._call("reset", self._open, command.row, command.seed)
        return Opened(observation)

    def _open(self, row: Row, seed: int) -> Any:
        self._own_instance = self.loaded.instance()
        observation = None
        if books := books_of(self.instance):
            books.scored_by_caller = True
            observation, _ = self.instance.reset(seed=seed, options=row)
        self._open_toolbox()
        return observation

    def _open_toolbox(self) -> None:
        if self.loaded.traits.kind == "tools":
            self.toolbox = toolbox_of(self.instance)

    async def _step(self, command: Step) -> Event:
        observation, reward, terminated, truncated, info = await self._call("step", self.instance.step, command.action)
        return Stepped(observation, reward, terminated, truncated, info)

    async def _run_tools(self, command: RunTools) -> Event:
        books = books_of(self.instance)
        if books:
            books.follow(command.messages, command.turns)
        outcomes = []
        for call in command.calls:
            outcomes.append(await self._run_tool(call))
            if books:
                books.note_outcome(outcomes[-1])
        return ToolsRan(outcomes)

    async def _run_tool(self, call: ToolCall) -> ToolOutcome:
        """The outcome of one call; a sync call that hangs raises, as its instance cannot be used again."""
        assert self.toolbox is not None
        ready = self.toolbox.prepare(call)
        if isinstance(ready, ToolOutcome):
            return ready
        limit = ready.tool.timeout or self.toolbox.timeout or self.limits.call_seconds
        what = f"{self.loaded.spec.id}: the tool {call.name!r}"
        started = time.perf_counter()
        try:
            if inspect.iscoroutinefunction(ready.function):
                value = await _within(limit, what, ready.function(**ready.arguments))
            else:
                value = await self.pool.call(limit, what, lambda: ready.function(**ready.arguments))
                if inspect.isawaitable(value):
                    value = await _within(limit, what, value)
        except DeadlineError as exc:
            if not inspect.iscoroutinefunction(ready.function):
                raise
            return self.toolbox.failed(call, exc, time.perf_counter() - started)
        except TooManyLeftBehindError:
            raise
        except Exception as exc:
            return self.toolbox.failed(call, exc, time.perf_counter() - started)
        return self.toolbox.answered(call, value, time.perf_counter() - started)

    async def _score(self, episode: Episode) -> Event:
        scorer = Scorer(self.instance)
        values = await self._call("score", self._values, scorer, episode)
        if any(inspect.isawaitable(value) for value in values):
            what = f"{self.loaded.spec.id}: score"
            values = await _within(self.limits.call_seconds, what, settle(values))
        score: Score = scorer.combine(values, episode, self.training)
        return Scored(score)

    def _values(self, scorer: Scorer, episode: Episode) -> list[Any]:
        """The raw values, within what the caller puts around them in this very thread."""
        with self.around_score():
            return scorer.call(episode, self.model, self.loaded.tokenizer)

    def _failed(self, stage: str, exc: Exception) -> Failed:
        timed_out = isinstance(exc, DeadlineError)
        self.hung = self.hung or timed_out
        cause = exc.__cause__ if isinstance(exc, ForeignExitError) and exc.__cause__ else exc
        fault = Fault(
            "environment", stage, type(cause).__name__, str(cause), "" if timed_out else short_traceback(cause)
        )
        kind = {"reset": "environment", "step": "environment"}.get(stage, stage)
        return Failed("timeout" if timed_out else "env_error", fault, kind)


async def _within(seconds: float | None, what: str, work: Any) -> Any:
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
