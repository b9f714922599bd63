"""Environment code in this process: a thread for each call, under a deadline, and one instance an episode."""

import asyncio
import inspect
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy, scorers_copy
from grpo_env_sdk.data.plain_data import plain_data
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.ignored import check_nothing_came_late
from grpo_env_sdk.envs.own_limits import own_limits
from grpo_env_sdk.envs.row_tools import check_calls_have_an_end
from grpo_env_sdk.envs.solution import Solution
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.envs.user_turns import checked_words, prompt_of_user
from grpo_env_sdk.envs.view import view_of
from grpo_env_sdk.errors import DeadlineError, ProcessStuckError
from grpo_env_sdk.isolation.calls.async_calls import awaited_through, run_coroutine, through
from grpo_env_sdk.isolation.calls.deadline import raised_there
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.process_state.global_state import IsolatedGlobalState
from grpo_env_sdk.isolation.values.error_text import error_text
from grpo_env_sdk.rewards.scorer import Scorer, reads_model, settle
from grpo_env_sdk.rollout.closing import close_instance
from grpo_env_sdk.rollout.commands import (
    AskUser,
    Failed,
    HostCommand,
    HostEvent,
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
    UserSaid,
    View,
    Viewed,
    call_seconds_with,
)
from grpo_env_sdk.rollout.env_calls import EnvCalls
from grpo_env_sdk.rollout.env_failures import failure
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.model_needed import WHERE_A_MODEL_IS, ModelNeededError
from grpo_env_sdk.rollout.step_metrics import checked_metrics
from grpo_env_sdk.rollout.workplace import Workplace
from grpo_env_sdk.runs.live_rows import LiveRow
from grpo_env_sdk.tools.toolbox import CheckedCall, Toolbox
from grpo_env_sdk.types import Episode, Message, Row, StopReason, ToolCall, ToolOutcome

Work = Generator[Any, Any, Any]


class ThreadHost:
    """Carries out the commands of one episode on one instance; never raises for what environment code does."""

    def __init__(self, hosts: Workplace, job: Job) -> None:
        self.hosts = hosts
        self._job = job
        self.calls = EnvCalls(hosts.loaded, hosts.pool)
        self.toolbox: Toolbox | None = None
        self._own_instance: Any = None
        self._solution: Solution | None = None
        self._row: Row = {}
        self._shared = hosts.loaded.env
        self.call_seconds = hosts.call_seconds
        """The deadline of a call, once the episode has begun that which it sets for itself."""

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
            with self._noted(stage):
                event: HostEvent = await work
        except ProcessStuckError:
            raise
        except (Exception, SystemExit) as exc:
            event = self._failed(stage, exc)
        return replace(event, seconds=time.perf_counter() - started)

    def follow(self, messages: list[Message], turns: int) -> None:
        """Show the instance the transcript of a driver that steps it in its own way."""
        if books := books_of(self.instance):
            books.follow(self.hosts.given(messages), turns)

    def run_tool_here(self, call: ToolCall) -> ToolOutcome | Failed:
        """Run one call in the calling thread, without a deadline: for trainers whose tool loop is their own."""
        assert self.toolbox is not None
        try:
            return self.hosts.calling(self.toolbox.run, call)
        except Exception as exc:
            return self._failed("tools", exc)

    async def close(self) -> None:
        """Close an instance that belongs to this episode alone; replace a shared one that hangs."""
        with self._noted("close"):
            await self._closed()
        if (books := books_of(self._own_instance)) and not self.calls.hung:
            books.toolbox = None  # its functions hold the instance: without it both are freed at once

    def _noted(self, stage: str) -> AbstractContextManager[None]:
        """While this lasts, a run on disk says that this row is worked on: its code may end the process."""
        live, job = self.hosts.loaded.live_rows, self._job
        if live is None:
            return nullcontext()
        return live.during(LiveRow(job.row_index, job.sample, stage, self.hosts.env.spec.id))

    async def _closed(self) -> None:
        hosts, loaded = self.hosts, self.hosts.loaded
        if loaded.traits.instances == "shared":
            if self.calls.hung:
                async with hosts.replacing:
                    if loaded.env is self._shared:  # another episode may have replaced it
                        what = f"{loaded.spec.id}: creating it again"
                        await hosts.pool.call(loaded.build_timeout, what, loaded.replace_instance)
        else:
            await close_instance(hosts, self.calls, self._own_instance)

    def _work(self, command: HostCommand) -> tuple[str, Any]:
        match command:
            case Reset():
                return "reset", self._reset(command)
            case View():
                return "view", self._call("view", self._viewed(command))
            case RunTools():
                return "tools", self._run_tools(command)
            case AskUser():
                self.follow(command.messages, command.turns)
                return "user", self._call("user", self._said(command))
            case Step():
                return "step", self._call("step", self._stepped(self.hosts.given(command.action)))
            case Solve():
                return "solve", self._call("solve", self._solved(command))
            case ScoreEpisode():
                self.calls.around_steps = self.hosts.around_score
                return "score", self._call("score", self._scored(command.episode))

    async def _call(self, what: str, work: Work) -> HostEvent:
        """The event of a generator that calls environment code: it makes plain data of all that it returns, in time."""
        event: HostEvent = await self.calls.call(self.call_seconds, what, through, work)
        return event

    async def _reset(self, command: Reset) -> HostEvent:
        self._row = command.row
        if self.hosts.env.traits.isolate_globals:
            self.calls.isolated = IsolatedGlobalState(command.seed)
        self.hosts.loaded.resources.check()
        traits = self.hosts.env.traits
        if traits.instances == "shared" and not (traits.tools_of_rows or traits.kind == "tools"):
            return Opened()
        return await self._call("reset", self._opened(self.hosts.given(command.row), command.seed))

    def _opened(self, row: Row, seed: int) -> Work:
        traits = self.hosts.env.traits
        if traits.instances == "shared" and not traits.tools_of_rows:
            self._open_toolbox(row)
            return Opened()
        self._own_instance = self.hosts.loaded.instance()
        observation = None
        if books := books_of(self.instance):
            books.scored_by_caller = True
            observation, _ = yield self.instance.reset(seed=seed, options=row)
        check_nothing_came_late(self.instance, self.hosts.loaded.env)
        self._open_toolbox(row)
        tools = self.toolbox.schemas if self.toolbox and traits.tools_of_rows else None
        user = prompt_of_user(self.instance, self.hosts.loaded.env, row)
        limits = own_limits(self.instance, traits)
        self.call_seconds = call_seconds_with(limits, self.hosts.asked_call_seconds, self.hosts.call_seconds)
        return Opened(plain_data(observation), user=user, tools=plain_data(tools), limits=limits)

    def _open_toolbox(self, row: Row) -> None:
        if self.hosts.env.traits.kind == "tools" or self.hosts.env.traits.tools_of_rows:
            self.toolbox = toolbox_of(self.instance, row)
            check_calls_have_an_end(self.instance, self.toolbox, self.hosts.env.traits.kind)

    def _viewed(self, command: View) -> Work:
        found = yield view_of(self.instance, command.messages, command.turn)
        return Viewed(plain_data(found))

    def _said(self, command: AskUser) -> Work:
        said = yield self.instance.user(own_copy(command.messages))
        return UserSaid(plain_data(checked_words(said, self.instance)))

    def _stepped(self, action: Message) -> Work:
        books = books_of(self.instance)
        noted = len(books.tool_calls) if books else 0
        observation, reward, terminated, truncated, info = yield self.instance.step(action)
        ended: StopReason | None = "max_turns" if info.get("stop_reason") == "max_turns" else None
        metrics = checked_metrics(info.get("metrics"), self.hosts.env.name)
        ran = list(books.tool_calls[noted:]) if books else []
        return Stepped(plain_data(observation), reward, terminated, truncated, metrics, ended, plain_data(ran))

    def _solved(self, command: Solve) -> Work:
        if command.turn == 0 or self._solution is None:
            self._solution = Solution(self.instance, self.hosts.given(self._row))
        message = yield self._solution.next_message(command.messages)
        return Solved(plain_data(message))

    async def _run_tools(self, command: RunTools) -> HostEvent:
        self.follow(command.messages, command.turns)
        books, outcomes = books_of(self.instance), []
        for call in command.calls:
            outcomes.append(await self._run_tool(call))
            if books:
                books.note_outcome(outcomes[-1])
        return ToolsRan(outcomes)

    async def _run_tool(self, call: ToolCall) -> ToolOutcome:
        """The outcome of one call; raises where the environment has failed, or the time that the run allows is up."""
        assert self.toolbox is not None
        checked = await self.toolbox.check_async(call, self.hosts.checks)
        if isinstance(checked, ToolOutcome):
            await asyncio.sleep(0)  # a message may have thousands of such calls
            return checked
        authors_limit = checked.tool.timeout or self.toolbox.timeout
        limit = authors_limit or self.call_seconds
        run = awaited_through if self.toolbox.is_async(checked.tool) else through  # which needs no thread
        started = time.perf_counter()
        try:
            outcome: ToolOutcome = await self.calls.call(limit, f"the tool {call.name!r}", run, self._ran(checked))
        except Exception as exc:
            late = isinstance(exc, DeadlineError) and (self.calls.hung or authors_limit is None)
            if late or isinstance(exc, ProcessStuckError):
                raise
            return self.toolbox.failed(call, exc, time.perf_counter() - started)
        return replace(outcome, seconds=time.perf_counter() - started)

    def _ran(self, checked: CheckedCall) -> Work:
        assert self.toolbox is not None
        ready = self.toolbox.ready(checked)
        if isinstance(ready, ToolOutcome):
            return ready
        return self.toolbox.answered(checked.call, (yield ready.function(**ready.arguments)), 0.0)

    def _scored(self, episode: Episode) -> Work:
        values = yield self._values(scorer := Scorer(self.instance), episode)
        scored, metrics = scorer.checked(values)
        rule = scorer.rule
        return Scored(scored, plain_data(metrics), None if rule == self.hosts.env.score_rule else rule.plain())

    def _values(self, scorer: Scorer, episode: Episode) -> Any:
        """The raw values, or a coroutine for them, within what the caller puts around them in their very thread."""
        with self.hosts.around_score():
            given = scorers_copy(episode) if self.hosts.copies else episode
            values = scorer.call(given, self.hosts.model, self._tokenizer())
            if not any(map(inspect.isawaitable, values)):
                return values
            return run_coroutine(settle(values)) if self.calls.isolated else settle(values)

    def _tokenizer(self) -> Any:
        hosts = self.hosts
        return hosts.loaded.scorer_tokenizer if hosts.tokenizer is None else hosts.tokenizer

    def _failed(self, stage: str, exc: BaseException) -> Failed:
        cause = raised_there(exc)
        if stage == "score" and self._lacks_model(cause):
            name = self.hosts.env.spec.id
            said = f"{name} scores with the live model, and there is none here: {describe_error(cause)}."
            cause = ModelNeededError(said, WHERE_A_MODEL_IS).with_traceback(cause.__traceback__)
        return failure(stage, cause)

    def _lacks_model(self, exc: BaseException) -> bool:
        """Whether a scorer that uses its model failed on the None, or the stand-in, that it was given."""
        if self.hosts.model is not None or not reads_model(self.instance):
            return False
        on_none = isinstance(exc, AttributeError | TypeError) and "NoneType" in error_text(exc)
        return on_none or isinstance(self._tokenizer(), StandInTokenizer)


class ThreadHosts(Workplace):
    """Hosts whose environment code runs in threads of this process, and on one event loop where it is async."""

    def open(self, job: Job) -> ThreadHost:
        """The host of one episode."""
        return ThreadHost(self, job)
