"""Environment code in this process: a thread for each call, under a deadline, and one instance an episode."""

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.envs.row_tools import check_calls_have_an_end
from grpo_env_sdk.envs.solution import Solution
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.envs.user_turns import prompt_of_user
from grpo_env_sdk.envs.view import view_of
from grpo_env_sdk.errors import ContractError, DeadlineError, ProcessStuckError, ScoreError
from grpo_env_sdk.isolation.async_calls import awaited_within, run_coroutine
from grpo_env_sdk.isolation.deadline import ForeignExitError
from grpo_env_sdk.isolation.env_values import redacted
from grpo_env_sdk.isolation.global_state import IsolatedGlobalState
from grpo_env_sdk.isolation.json_values import short_repr
from grpo_env_sdk.isolation.thread_pool import ThreadPool
from grpo_env_sdk.isolation.tracebacks import describe_error, short_traceback
from grpo_env_sdk.rewards.rubric import check_score
from grpo_env_sdk.rewards.scorer import Scorer, settle
from grpo_env_sdk.rollout.asking_user import ask_user
from grpo_env_sdk.rollout.commands import (
    USUAL_CALL,
    AskUser,
    Failed,
    HostCommand,
    HostEvent,
    Limits,
    Opened,
    Reset,
    RunTools,
    Scored,
    ScoreEpisode,
    Solve,
    Solved,
    Step,
    Stepped,
    ToolsRan,
    View,
    Viewed,
)
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.model_needed import WHERE_A_MODEL_IS, ModelNeededError
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Episode, Fault, Message, Row, StopReason, ToolCall, ToolOutcome

CLOSE_SECONDS = 5.0


class ThreadHosts:
    """Hosts whose environment code runs in threads of this process, from one pool.

    `call_seconds` is the deadline of each reset, step, tool, solution and score; other limits are the driver's.
    `model` is what scorers are given, with its `tokenizer` (or that of the rows); `around_score` is entered around each
    of their calls, in its thread, and `alone` around each score that uses the model, before its time counts.
    """

    def __init__(
        self,
        loaded: LoadedEnv,
        call_seconds: float | None = USUAL_CALL,
        *,
        threads: int = 64,
        max_left_behind: int = 32,
        model: Any = None,
        tokenizer: Any = None,
        around_score: Callable[[], AbstractContextManager[Any]] = nullcontext,
        alone: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
    ) -> None:
        self.loaded = loaded
        self.call_seconds = Limits(call_seconds=call_seconds).of(loaded.description).call_seconds
        self.model = model
        self.tokenizer = tokenizer
        self.alone = alone
        self.around_score = around_score
        self.pool = ThreadPool(threads, max_left_behind)
        self.replacing = asyncio.Lock()
        """Held while a shared instance that hangs is replaced."""

    @property
    def env(self) -> EnvDescription:
        """What drivers and policies may know of the environment."""
        return self.loaded.description

    def open(self, job: Job) -> "ThreadHost":
        """The host of one episode."""
        return ThreadHost(self)

    def close(self) -> None:
        """Let the idle threads end."""
        self.pool.close()


class ThreadHost:
    """Carries out the commands of one episode on one instance; never raises for what environment code does."""

    def __init__(self, hosts: ThreadHosts) -> None:
        self.hosts = hosts
        self.toolbox: Toolbox | None = None
        self._own_instance: Any = None
        self._solution: Solution | None = None
        self._row: Row = {}
        self._hung = False
        self._shared = hosts.loaded.env
        self._isolated: IsolatedGlobalState | None = None

    @property
    def instance(self) -> Any:
        """The environment of this episode: one of its own, or the shared one."""
        loaded = self.hosts.loaded
        return loaded.env if loaded.traits.instances == "shared" else self._own_instance

    async def perform(self, command: HostCommand) -> HostEvent:
        """The event that says how it went."""
        hosts = self.hosts
        if isinstance(command, ScoreEpisode) and hosts.model is not None and hosts.loaded.scores_with_model:
            async with hosts.alone():
                return await self._performed(command)
        return await self._performed(command)

    async def _performed(self, command: HostCommand) -> HostEvent:
        started = time.perf_counter()
        stage, work = self._work(command)
        try:
            event: HostEvent = await work
        except ProcessStuckError:
            raise
        except asyncio.CancelledError:
            self._hung = self._hung or stage != "solve"  # its code may still be running
            raise
        except Exception as exc:
            event = self._failed(stage, exc)
        return replace(event, seconds=time.perf_counter() - started)

    def follow(self, messages: list[Message], turns: int) -> None:
        """Show the instance the transcript of a driver that steps it in its own way."""
        if books := books_of(self.instance):
            books.follow(messages, turns)

    def run_tool_here(self, call: ToolCall) -> ToolOutcome:
        """Run one call in the calling thread, without a deadline: for trainers whose tool loop is their own."""
        assert self.toolbox is not None
        return self.toolbox.run(call)

    async def close(self) -> None:
        """Close an instance that belongs to this episode alone; replace a shared one that hangs."""
        hosts, loaded = self.hosts, self.hosts.loaded
        if loaded.traits.instances == "shared":
            if self._hung:
                async with hosts.replacing:
                    if loaded.env is self._shared:  # another episode may have replaced it
                        what = f"{loaded.spec.id}: creating it again"
                        await hosts.pool.call(loaded.build_timeout, what, loaded.replace_instance)
        elif not self._hung and callable(getattr(self._own_instance, "close", None)):
            seconds = min(hosts.call_seconds or CLOSE_SECONDS, CLOSE_SECONDS)
            with suppress(Exception):  # the episode is recorded, however its instance closes
                await self._in_thread(seconds, "close", self._own_instance.close)

    def _work(self, command: HostCommand) -> tuple[str, Any]:
        match command:
            case Reset():
                return "reset", self._reset(command)
            case View():
                return "view", self._view(command)
            case RunTools():
                return "tools", self._run_tools(command)
            case AskUser():
                self.follow(command.messages, command.turns)
                isolated = self._isolated is not None
                return "user", ask_user(self.instance, command, self._call, self.hosts.call_seconds, isolated)
            case Step():
                return "step", self._step(command)
            case Solve():
                return "solve", self._solve(command)
            case ScoreEpisode():
                return "score", self._score(command.episode)

    async def _call(self, what: str, function: Callable[..., Any], *args: Any) -> Any:
        return await self._in_thread(self.hosts.call_seconds, what, function, *args)

    async def _in_thread(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        if self._isolated:
            function, args = self._isolated.call, (function, *args)
        return await self.hosts.pool.call(seconds, f"{self.hosts.env.spec.id}: {what}", function, *args)

    async def _reset(self, command: Reset) -> HostEvent:
        self._row = command.row
        if self.hosts.env.traits.isolate_globals:
            self._isolated = IsolatedGlobalState(command.seed)
        traits = self.hosts.env.traits
        if traits.instances == "shared" and not traits.tools_of_rows:
            self._open_toolbox()
            return Opened()
        opened: Opened = await self._call("reset", self._open, command.row, command.seed)
        return opened

    def _open(self, row: Row, seed: int) -> Opened:
        self._own_instance = self.hosts.loaded.instance()
        observation = None
        if books := books_of(self.instance):
            books.scored_by_caller = True
            observation, _ = self.instance.reset(seed=seed, options=row)
        self._open_toolbox()
        tools = self.toolbox.schemas if self.toolbox and self.hosts.env.traits.tools_of_rows else None
        return Opened(observation, user=prompt_of_user(self.instance, self.hosts.loaded.env, row), tools=tools)

    def _open_toolbox(self) -> None:
        if self.hosts.env.traits.kind == "tools" or self.hosts.env.traits.tools_of_rows:
            self.toolbox = toolbox_of(self.instance, self._row)
            check_calls_have_an_end(self.instance, self.toolbox, self.hosts.env.traits.kind)

    async def _view(self, command: View) -> HostEvent:
        return Viewed(await self._call("view", view_of, self.instance, command.messages, command.turn))

    async def _step(self, command: Step) -> HostEvent:
        books = books_of(self.instance)
        noted = len(books.tool_calls) if books else 0
        observation, reward, terminated, truncated, info = await self._call("step", self.instance.step, command.action)
        ended: StopReason | None = "max_turns" if info.get("stop_reason") == "max_turns" else None
        metrics = _checked_metrics(info.get("metrics"), self.hosts.env.name)
        ran = list(books.tool_calls[noted:]) if books else []
        return Stepped(observation, reward, terminated, truncated, metrics, ended, ran)

    async def _solve(self, command: Solve) -> HostEvent:
        return Solved(await self._call("solve", self._next_message, command))

    def _next_message(self, command: Solve) -> Any:
        if command.turn == 0 or self._solution is None:
            self._solution = Solution(self.instance, self._row)
        return self._solution.next_message(command.messages)

    async def _run_tools(self, command: RunTools) -> HostEvent:
        self.follow(command.messages, command.turns)
        books = books_of(self.instance)
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
        limit = ready.tool.timeout or self.toolbox.timeout or self.hosts.call_seconds
        what = f"the tool {call.name!r}"
        in_loop = inspect.iscoroutinefunction(ready.function) and self._isolated is None
        started = time.perf_counter()
        try:
            if in_loop:
                value = ready.function(**ready.arguments)
            else:
                value = await self._in_thread(limit, what, lambda: ready.function(**ready.arguments))
            if inspect.isawaitable(value):
                value = await awaited_within(limit, f"{self.hosts.env.spec.id}: {what}", value)
        except DeadlineError as exc:
            if not in_loop:
                raise
            return self.toolbox.failed(call, exc, time.perf_counter() - started)
        except ProcessStuckError:
            raise
        except Exception as exc:
            return self.toolbox.failed(call, exc, time.perf_counter() - started)
        return self.toolbox.answered(call, value, time.perf_counter() - started)

    async def _score(self, episode: Episode) -> HostEvent:
        scorer = Scorer(self.instance)
        values = await self._call("score", self._values, scorer, episode)
        if any(inspect.isawaitable(value) for value in values):
            what = f"{self.hosts.env.spec.id}: score"
            with self._around_awaiting():
                values = await awaited_within(self.hosts.call_seconds, what, settle(values))
        rule = scorer.rule
        return Scored(*scorer.checked(values), None if rule == self.hosts.env.score_rule else rule)

    def _values(self, scorer: Scorer, episode: Episode) -> list[Any]:
        """The raw values, within what the caller puts around them in this very thread."""
        with self.hosts.around_score():
            values = scorer.call(episode, self.hosts.model, self._tokenizer())
            return run_coroutine(settle(values)) if self._isolated else values

    def _tokenizer(self) -> Any:
        hosts = self.hosts
        return hosts.loaded.scorer_tokenizer if hosts.tokenizer is None else hosts.tokenizer

    def _around_awaiting(self) -> AbstractContextManager[Any]:
        """What is around a score that is awaited in the event loop, where several may be awaited at once."""
        return self.hosts.around_score() if self.hosts.loaded.scores_with_model else nullcontext()

    def _failed(self, stage: str, exc: Exception) -> Failed:
        timed_out = isinstance(exc, DeadlineError)
        self._hung = self._hung or (timed_out and stage != "solve")
        cause = exc.__cause__ if isinstance(exc, ForeignExitError) and exc.__cause__ else exc
        if stage == "score" and self._lacks_model(cause):
            name = self.hosts.env.spec.id
            said = f"{name} scores with the live model, and there is none here: {describe_error(cause)}."
            cause = ModelNeededError(said, WHERE_A_MODEL_IS).with_traceback(cause.__traceback__)
        trace = "" if timed_out else short_traceback(cause)
        fault = Fault("environment", stage, type(cause).__name__, redacted(str(cause)), trace)
        clock = {"solve": "policy", **dict.fromkeys(("reset", "view", "step"), "environment")}.get(stage, stage)
        return Failed("timeout" if timed_out else "env_error", fault, clock)

    def _lacks_model(self, exc: BaseException) -> bool:
        """Whether a scorer that uses its model failed on the None, or the stand-in, that it was given."""
        if self.hosts.model is not None or not Scorer(self.instance).reads_model:
            return False
        on_none = isinstance(exc, AttributeError | TypeError) and "NoneType" in str(exc)
        return on_none or isinstance(self._tokenizer(), StandInTokenizer)


def _checked_metrics(metrics: Any, whose: str) -> dict[str, float]:
    """An environment's own numbers by name; anything else would spoil every mean that it enters."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise ContractError(
            f"{whose}.step gave {short_repr(metrics)} as info['metrics'].", "Make it a dict of names and numbers."
        )
    checked = {}
    for name, value in metrics.items():
        try:
            checked[str(name)] = check_score(value, "")
        except ScoreError as exc:
            raise ContractError(
                f"{whose}.step gave {short_repr(value)} as info['metrics'][{name!r}], which is not a finite number.",
                "Give numbers only; None leaves a metric out.",
            ) from exc
    return {name: value for name, value in checked.items() if value is not None}
