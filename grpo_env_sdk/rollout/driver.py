"""The one place in which episodes are driven: many at once, asking hosts and a policy; failures are kept as data."""

import asyncio
import inspect
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, cast

from grpo_env_sdk.envs.own_limits import OwnLimits
from grpo_env_sdk.errors import ProcessStuckError, UsageError
from grpo_env_sdk.isolation.calls.async_calls import awaited
from grpo_env_sdk.isolation.calls.thread_pool import MAX_LEFT_BEHIND
from grpo_env_sdk.policies.checked_turn import turn_of
from grpo_env_sdk.policies.given_policy import policy_of
from grpo_env_sdk.policies.live_model import LiveModel
from grpo_env_sdk.policies.policy import NoRoomError, Policy, PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.rollout.coming_jobs import ComingJobs, Jobs
from grpo_env_sdk.rollout.commands import (
    AskUser,
    Command,
    Done,
    Event,
    Exhausted,
    Failed,
    Generate,
    Generated,
    Limits,
    Opened,
    ScoreEpisode,
    Solve,
    Solved,
    Usual,
)
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.rollout.episode_clock import EpisodeClock
from grpo_env_sdk.rollout.guarded_host import GuardedHost
from grpo_env_sdk.rollout.host import HostFactory, Job
from grpo_env_sdk.rollout.loop_hold import LoopHold, StepTimer
from grpo_env_sdk.rollout.policy_failures import SolutionFailedError, cancelled_by_policy, policy_failed, what_was_tried
from grpo_env_sdk.rollout.policy_reading import PolicyReading
from grpo_env_sdk.rollout.scheduling import Activity, Ended, InOrder
from grpo_env_sdk.rollout.user_model import Asked, UserSource, said_by_model
from grpo_env_sdk.types import Episode, Fault, Message, Row

T = TypeVar("T")


@dataclass(frozen=True)
class Rollout:
    """How episodes are run: by whom, how far, and how many at once."""

    policy: Policy
    sampling: Sampling = field(default_factory=Sampling)
    limits: Limits = field(default_factory=Limits)
    concurrency: int = 64
    max_left_behind: int = MAX_LEFT_BEHIND
    training: bool = False
    """Whether weights that move in training count as they are now."""
    scores: bool = True
    """Whether episodes are scored at their end; demonstrations need no reward, which a judge may take long for."""
    user: UserSource | None = None
    """Who speaks for the user, where the class names a model."""
    copies: bool = True
    """Whether environment code gets copies of what the record keeps; the checks look at what it would change."""
    live_model: LiveModel | None = None
    """What scorers are given as their model, where there is one."""
    when_quiet: Callable[[], None] | None = None
    """Called in the event loop whenever no environment code runs and every episode waits for the policy or a slot."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "policy", policy_of(self.policy))
        if not isinstance(self.limits, Limits):
            raise UsageError(f"limits must be Limits(...), got {self.limits!r:.80}.", "Write limits=Limits(turns=5).")
        if self.concurrency < 1:
            raise UsageError(f"concurrency must be at least 1, got {self.concurrency}.", "Leave it out for 64.")
        if inspect.iscoroutinefunction(self.when_quiet):
            raise UsageError("when_quiet is an async function, which nobody would await.", "Write it without async.")


class RowSource(Protocol):
    """Where rows come from: a dataset, or the records of a run."""

    @property
    def indices(self) -> Sequence[int]:
        """Which rows there are, counted over the whole dataset."""

    def row(self, index: int) -> Row:
        """The row at `index`."""


def jobs_for(rows: RowSource, samples: int = 1, first_sample: int = 0) -> list[Job]:
    """Every sample of every row, row by row; `request.seed` depends on the number of the sample."""
    return [Job(index, first_sample + number) for index in rows.indices for number in range(samples)]


async def drive(
    hosts: HostFactory, rows: RowSource, rollout: Rollout, jobs: Jobs | None = None
) -> AsyncGenerator[Episode, None]:
    """The records of the episodes, in the order in which they end; closing the iterator cancels the rest.

    `jobs` may be an async generator: a queue, or a curriculum that depends on the episodes so far. They are of `rows`.
    """
    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    context = _RolloutContext(hosts, rows, rollout, failed)
    ended = Ended()
    failed.add_done_callback(ended.wake)
    waiting = ComingJobs(jobs_for(rows) if jobs is None else jobs, rows.indices, ended.wake)
    running = context.running
    done: list[asyncio.Task[Episode]] = []
    begin = getattr(hosts, "begin", None)
    try:
        while True:
            while len(running) < context.concurrency and (job := waiting.next()) is not None:
                if begin is not None:
                    await begin()
                    begin = None
                context.activity.begin()
                running.add(ended.begin(context.run(job)))
            for _ in done:  # only now, as it is not quiet before others have taken their slots
                context.activity.rest()
            if not (running or waiting.coming):
                return
            done = await ended.more()
            if failed.done():
                failed.result()
            running.difference_update(done)
            for task in sorted(done, key=lambda task: task.exception() is not None):  # what ended well comes first
                yield task.result()
    finally:
        failed.cancel()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, *done, return_exceptions=True)  # nobody else asks how they ended
        await waiting.close()


class _RolloutContext:
    """What the episodes of one call share: the hosts, the policy, the order of scoring, the limits."""

    def __init__(self, hosts: HostFactory, rows: RowSource, rollout: Rollout, failed: "asyncio.Future[None]") -> None:
        self.hosts = hosts
        self.env = hosts.env
        self.rows = rows
        self.failed = failed
        self.rollout = rollout
        self.limits = rollout.limits.of(self.env)
        self.concurrency = self.env.at_once(rollout.concurrency)
        self.hold = LoopHold(rollout.policy.name)
        self.running: set[asyncio.Task[Episode]] = set()
        self.activity = Activity(rollout.when_quiet, failed)
        self.in_order = InOrder() if self.env.scores_in_order else None

    def turns_of(self, job: Job, own: int | None) -> int:
        """The most turns of an episode; `own` is what it sets for itself in the place of its class."""
        asked, most = self.rollout.limits.turns, own or self.env.traits.max_turns
        return job.turns or (most if asked is None else min(asked, most))

    async def run(self, job: Job) -> Episode:
        """One episode under its own deadline; whatever happens becomes part of its record."""
        limits = replace(self.limits, turns=self.turns_of(job, None))
        live = LiveEpisode(
            self.env, self.rows.row(job.row_index), limits=limits, row_index=job.row_index, sample=job.sample,
            training=self.rollout.training, scores=self.rollout.scores,
        )  # fmt: skip
        place = self.in_order.next_place() if self.in_order else None
        run = _EpisodeRun(self, live, job, place)
        try:
            return await run.to_its_end()
        finally:
            await run.host.close()
            if self.in_order and place is not None:
                self.in_order.leave(place)


class _EpisodeRun:
    """One episode, its host and its policy: does what the state machine asks for, and keeps the deadlines."""

    def __init__(self, context: _RolloutContext, live: LiveEpisode, job: Job, place: int | None) -> None:
        self.context = context
        self.live = live
        self.job = job
        self.place = place
        self.host = GuardedHost(job, context.hosts, context.limits.env_retries)
        self.reading = PolicyReading(live.row)
        self.memory: dict[str, Any] = {}
        self.seconds = context.limits.episode_seconds
        self.clock = EpisodeClock()

    async def to_its_end(self) -> Episode:
        """The record of the episode, also where its time is up."""
        try:
            async with asyncio.timeout(self.seconds) as deadline:
                self.clock.deadlines = [deadline]
                if self.host.may_wait:
                    with self.clock.off():
                        await self._waiting(self.host.ready())
                command, began = self.live.start(), asyncio.get_running_loop().time()
                while not isinstance(command, Done):
                    event = await self._carry_out(command)
                    if isinstance(event, Opened) and event.limits is not None:
                        self._limit(event.limits, deadline, began)
                    command = self.live.feed(event)
        except TimeoutError:
            if not deadline.expired():
                raise
            fault = Fault("sdk", "episode", "DeadlineError", f"not over within {self.seconds:g} s")
            command = self.live.feed(Failed("timeout", fault, "environment"))
        except asyncio.CancelledError:
            if self.context.failed.cancelled():  # the run is over
                raise
            command = self.live.feed(cancelled_by_policy())
        assert isinstance(command, Done)
        return self.host.with_retries(command.episode)

    def _limit(self, own: OwnLimits, deadline: asyncio.Timeout, began: float) -> None:
        """Let limits that the environment has set for this episode hold, where the run was given no stricter ones."""
        context = self.context
        self.live.limits = replace(self.live.limits, turns=context.turns_of(self.job, own.max_turns))
        if own.episode_seconds is not None and isinstance(context.rollout.limits.episode_seconds, Usual | None):
            self.seconds = own.episode_seconds
            deadline.reschedule(began + self.seconds)

    async def _carry_out(self, command: Command) -> Event:
        if isinstance(command, Generate):
            return await self._generate(command)
        if isinstance(command, AskUser) and command.prompt is not None:
            rollout, live, job = self.context.rollout, self.live, self.job
            asked = Asked(
                command, command.prompt, live.row, job.row_index, job.sample, rollout.sampling.seed, self.clock.off
            )
            return await said_by_model(rollout.user, asked, self.context.limits.policy_seconds, self.clock.deadlines)
        assert not isinstance(command, Done)
        in_order = self.context.in_order
        if isinstance(command, ScoreEpisode) and in_order is not None and self.place is not None:
            with self.clock.off():
                await self._waiting(in_order.turn_of(self.place))
        return cast(Event, await self.host.perform(command))

    async def _generate(self, command: Generate) -> Event:
        policy, seconds = self.context.rollout.policy, self.context.limits.policy_seconds
        messages, whole = self.reading.messages(command)
        request = Request(
            messages, self.reading.tools(command), self.context.rollout.sampling, self.reading.row, self.job.row_index,
            self.job.sample, command.turn, self.context.env, self.memory, self._solve, self.clock.off, whole,
        )  # fmt: skip
        self.clock.off_seconds, started = 0.0, time.perf_counter()
        timer = StepTimer()
        try:
            async with asyncio.timeout(seconds) as deadline:
                self.clock.deadlines.append(deadline)
                answer = await self._waiting(timer.through(awaited(policy.respond(request))))
                turn = turn_of(policy.name, answer)
            if self._held(timer) > (seconds or math.inf):
                raise TimeoutError
            return Generated(turn, self._since(started) + min(turn.seconds, self.clock.off_seconds))
        except TimeoutError as exc:
            blocks = self._held(timer) > (seconds or math.inf)
            if not (blocks or deadline.expired()):
                return policy_failed("policy_error", exc, self._since(started))
            why = ": it blocks the event loop, where it should await." if blocks else f".{what_was_tried(exc)}"
            late = f"{policy.name} gave no answer within {seconds:g} s{why}"
            return policy_failed("timeout", PolicyError(late, kind="DeadlineError"), self._since(started))
        except NoRoomError:
            return Exhausted(self._since(started))
        except (UnusablePolicyError, ProcessStuckError):
            raise
        except Exception as exc:
            return policy_failed("policy_error", exc, self._since(started))
        finally:
            del self.clock.deadlines[1:]
            if len(self.context.running) > 1:
                self.context.hold.add(self._held(timer), time.perf_counter())

    def _held(self, timer: StepTimer) -> float:
        """How long the policy has held the event loop, but for what it does off the clock."""
        return max(0.0, timer.seconds - self.clock.off_seconds)

    async def _waiting(self, work: Awaitable[T]) -> T:
        """The result of what this episode waits for while nothing of its environment runs."""
        self.context.activity.rest()
        try:
            return await work
        finally:
            self.context.activity.begin()

    async def _solve(self, messages: list[Message]) -> Any:
        """The next message of the gold solution; raises `SolutionFailedError` where the author's code failed."""
        self.context.activity.begin()
        try:
            event = await self.host.perform(Solve(messages, self.live.turns))
        finally:
            self.context.activity.rest()
        if isinstance(event, Failed):
            raise SolutionFailedError(event.fault)
        assert isinstance(event, Solved)
        return event.message

    def _since(self, started: float) -> float:
        return max(0.0, time.perf_counter() - started - self.clock.off_seconds)
