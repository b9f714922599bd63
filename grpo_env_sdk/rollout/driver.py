"""Many episodes at once: async towards the policy, threads towards the environment, each failure kept as data."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.isolation.async_calls import awaited
from grpo_env_sdk.isolation.thread_pool import ThreadPool, TooManyLeftBehindError
from grpo_env_sdk.isolation.tracebacks import short_traceback
from grpo_env_sdk.policies.policy import NoRoomError, Policy, PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.rollout.episode import (
    Command,
    Done,
    Event,
    Exhausted,
    Failed,
    Generate,
    Generated,
    Limits,
    LiveEpisode,
    ScoreEpisode,
)
from grpo_env_sdk.rollout.thread_host import EpisodeHost
from grpo_env_sdk.types import Episode, Fault, Row, Turn


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to run: which row, and which of its samples."""

    row_index: int
    sample: int = 0
    turns: int | None = None
    """At most so many turns; for a transcript that was cut, and is played again."""


@dataclass(frozen=True)
class Rollout:
    """How episodes are run: by whom, how far, and how many at once."""

    policy: Policy
    sampling: Sampling = field(default_factory=Sampling)
    limits: Limits = field(default_factory=Limits)
    concurrency: int = 64
    max_left_behind: int = 32


def check_scorable(loaded: LoadedEnv) -> None:
    """Raise where the scorer needs the model that is being trained, which no rollout here has."""
    if loaded.traits.uses_model:
        raise UsageError(
            f"{loaded.spec.id} scores with the live model (uses_model), and only training has one.",
            "Train on it, or score without the model.",
        )


class RowSource(Protocol):
    """Where rows come from: a dataset, or the records of a run."""

    @property
    def indices(self) -> Sequence[int]:
        """Which rows there are, counted over the whole dataset."""

    def row(self, index: int) -> Row:
        """The row that stands at `index`."""


def jobs_for(rows: RowSource, samples: int = 1) -> list[Job]:
    """Every sample of every row, row by row."""
    return [Job(index, sample) for index in rows.indices for sample in range(samples)]


async def rollouts(
    loaded: LoadedEnv, rows: RowSource, rollout: Rollout, jobs: Iterable[Job] | None = None
) -> AsyncGenerator[Episode, None]:
    """The records of the episodes, in the order in which they end; closing the iterator cancels the rest."""
    check_scorable(loaded)
    crew = _Crew(loaded, rows, rollout)
    waiting = iter(jobs_for(rows) if jobs is None else jobs)
    running: set[asyncio.Task[Episode]] = set()
    done: set[asyncio.Task[Episode]] = set()
    try:
        while True:
            while len(running) < crew.concurrency and (job := next(waiting, None)) is not None:
                running.add(asyncio.create_task(crew.run(job)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda task: task.exception() is not None):  # what ended well comes first
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, *done, return_exceptions=True)  # nobody else asks what those came to
        crew.close()


async def run_episode(loaded: LoadedEnv, rows: RowSource, rollout: Rollout, job: Job) -> Episode:
    """The record of one episode."""
    crew = _Crew(loaded, rows, rollout)
    try:
        return await crew.run(job)
    finally:
        crew.close()


class _Crew:
    """What the episodes of one call share: threads, the order of scoring, the limits."""

    def __init__(self, loaded: LoadedEnv, rows: RowSource, rollout: Rollout) -> None:
        traits = loaded.traits
        self.loaded = loaded
        self.rows = rows
        self.policy = rollout.policy
        self.sampling = rollout.sampling
        turns = rollout.limits.turns
        most = traits.max_turns if turns is None else min(turns, traits.max_turns)
        self.limits = replace(rollout.limits, turns=most)
        alone = traits.instances == "shared" and traits.kind == "tools"
        self.concurrency = 1 if alone else rollout.concurrency
        self.in_order = _InOrder() if traits.instances == "shared" and not traits.parallel else None
        self.pool = ThreadPool(self.concurrency, rollout.max_left_behind)

    def close(self) -> None:
        self.pool.close()

    async def run(self, job: Job) -> Episode:
        """One episode under its own deadline; whatever happens becomes part of its record."""
        place = self.in_order.next_place() if self.in_order else None
        limits = self.limits if job.turns is None else replace(self.limits, turns=job.turns)
        live = LiveEpisode(
            self.loaded.spec.id, self.loaded.traits.kind, self.rows.row(job.row_index), tools=self.loaded.tools,
            limits=limits, version=self.loaded.spec.version, row_index=job.row_index, sample=job.sample,
        )  # fmt: skip
        driven = _Driven(self, live, job, place)
        try:
            async with asyncio.timeout(self.limits.episode_seconds) as scope:
                driven.scope = scope
                return await driven.through()
        except TimeoutError:
            if not scope.expired():
                raise
            fault = Fault("sdk", "episode", "DeadlineError", f"not over within {self.limits.episode_seconds:g} s")
            return _finished(live.feed(Failed("timeout", fault, "environment")))
        finally:
            await driven.host.close()
            if self.in_order and place is not None:
                self.in_order.leave(place)


class _Driven:
    """One episode, its host and its policy: does what the state machine asks for."""

    def __init__(self, crew: _Crew, live: LiveEpisode, job: Job, place: int | None) -> None:
        self.crew = crew
        self.live = live
        self.job = job
        self.place = place
        self.host = EpisodeHost(crew.loaded, crew.pool, crew.limits)
        self.memory: dict[str, Any] = {}
        self.scope: asyncio.Timeout | None = None

    async def through(self) -> Episode:
        command = self.live.start()
        while not isinstance(command, Done):
            command = self.live.feed(await self._carry_out(command))
        return command.episode

    async def _carry_out(self, command: Command) -> Event:
        if isinstance(command, Generate):
            return await self._generate(command)
        assert not isinstance(command, Done)
        if isinstance(command, ScoreEpisode) and self.place is not None and self.crew.in_order:
            await self._wait_for_turn(self.crew.in_order, self.place)
        return await self.host.perform(command)

    async def _wait_for_turn(self, in_order: "_InOrder", place: int) -> None:
        """Wait until the episodes before it are scored; that time is not the episode's own."""
        now = asyncio.get_running_loop().time
        deadline = self.scope.when() if self.scope else None
        left = None if deadline is None else deadline - now()
        if self.scope:
            self.scope.reschedule(None)
        await in_order.turn_of(place)
        if self.scope and left is not None:
            self.scope.reschedule(now() + left)

    async def _generate(self, command: Generate) -> Event:
        job, crew = self.job, self.crew
        request = Request(
            command.messages, command.tools, crew.sampling, self.live.row, job.row_index, job.sample,
            command.turn, self.host.instance, self.memory,
        )  # fmt: skip
        started = time.perf_counter()
        try:
            async with asyncio.timeout(crew.limits.policy_seconds) as scope:
                turn = await awaited(crew.policy.respond(request))
            if not isinstance(turn, Turn):
                raise PolicyError(f"{crew.policy.name} answered {turn!r:.80}, which is no Turn.")
            return Generated(turn, time.perf_counter() - started)
        except TimeoutError as exc:
            if not scope.expired():
                return _policy_failed("policy_error", exc, started)
            late = PolicyError(f"{crew.policy.name} gave no answer within {crew.limits.policy_seconds:g} s.")
            return _policy_failed("timeout", late, started)
        except NoRoomError:
            return Exhausted(time.perf_counter() - started)
        except (UnusablePolicyError, TooManyLeftBehindError):
            raise
        except Exception as exc:
            return _policy_failed("policy_error", exc, started)


def _policy_failed(reason: Any, exc: Exception, started: float) -> Failed:
    known = isinstance(exc, GrpoEnvError)
    kind = exc.kind if isinstance(exc, PolicyError) else type(exc).__name__
    fault = Fault("policy", "generate", kind, str(exc), "" if known else short_traceback(exc))
    return Failed(reason, fault, "policy", time.perf_counter() - started)


def _finished(command: Command) -> Episode:
    assert isinstance(command, Done)
    return command.episode


class _InOrder:
    """Lets episodes score one after another in the order in which they began, as a stateful scorer needs."""

    def __init__(self) -> None:
        self._began = 0
        self._current = 0
        self._left: set[int] = set()
        self._turns: dict[int, asyncio.Event] = {}

    def next_place(self) -> int:
        self._began += 1
        return self._began - 1

    async def turn_of(self, place: int) -> None:
        if place != self._current:
            await self._turns.setdefault(place, asyncio.Event()).wait()

    def leave(self, place: int) -> None:
        self._left.add(place)
        while self._current in self._left:
            self._left.discard(self._current)
            self._current += 1
            if event := self._turns.pop(self._current, None):
                event.set()
