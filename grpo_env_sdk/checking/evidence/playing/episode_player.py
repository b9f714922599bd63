"""Episodes of the environment under test: scores answers and plays policies, within the time of a check."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any, TypeVar

from grpo_env_sdk.checking.evidence.playing.author_calls import AuthorCalls
from grpo_env_sdk.checking.evidence.playing.env_under_test import OPENING, OnStage
from grpo_env_sdk.checking.evidence.playing.failures import HANG, NoEpisodeEndsError, OutOfTimeError, failure_of
from grpo_env_sdk.checking.evidence.playing.fixed_replies import FixedReplies
from grpo_env_sdk.checking.evidence.playing.left_files import are_full, no_more_files
from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.playing.play_jobs import play_jobs
from grpo_env_sdk.checking.evidence.playing.settings import Effort as Effort
from grpo_env_sdk.checking.evidence.playing.settings import Settings as Settings
from grpo_env_sdk.checking.evidence.playing.threads import is_full, no_more_threads
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.tried import LEAST_ROWS as LEAST_ROWS
from grpo_env_sdk.checking.evidence.playing.tried import Tried
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.loops.kept_loops import KeptLoops
from grpo_env_sdk.isolation.process_state.open_files import OpenFiles
from grpo_env_sdk.policies import Policy, make_policy
from grpo_env_sdk.policies.live_model import LiveModel, live_model_of
from grpo_env_sdk.policies.make import has_live_model
from grpo_env_sdk.rollout.commands import Limits, Usual
from grpo_env_sdk.rollout.driver import Rollout, RowSource
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.tools_per_row import open_rows
from grpo_env_sdk.types import EnvSpec, Episode, Fault, Message, Schemas, Score

T = TypeVar("T")
Completion = str | Sequence[str | Message]
"""An answer: a text, or the assistant's turns in order."""

CHOSEN = {"quick": 6, "default": 16, "thorough": 64}
AT_ONCE = 8
GUARANTEED = ("score", "teaching")
NO_LIMIT = 3600.0
"""The seconds of a check that is given none."""
_PATIENCE = 5
"""How many times longer something may take on a busy machine."""
QUICK_EPISODE = 0.05
"""Environments whose episodes take more seconds are checked on fewer rows."""


class EpisodePlayer(AuthorCalls):
    """Plays episodes of one environment, with answers that a check gives or with a policy."""

    def __init__(
        self,
        spec: EnvSpec,
        settings: Settings | None = None,
        on_stage: OnStage | None = None,
        create: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(spec, settings or Settings(), on_stage or (lambda stage, row: None), create)
        seconds = Usual(self.settings.call_seconds)
        self.limits = Limits(call_seconds=seconds, policy_seconds=seconds)
        self.loops = KeptLoops()
        self.clock = FairClock()
        """What shares of time are measured with: a busy machine costs a check no rows."""
        self.episode_seconds = 0.0
        """What an episode was measured to take; 0 before that."""
        self.best_reward = float("-inf")
        """The highest reward of any episode in this process."""
        self.files: OpenFiles | None = None
        """The files that were open before the first episode."""
        self._group_rows: dict[str, set[int]] = {group: set() for group in GUARANTEED}
        self.begin("", None)

    def begin(self, check: str, seconds: float | None, group: str = "", most: float = inf) -> None:
        """Start the next check: its random generator, its seconds of the clock, and at most so many in all."""
        self._group = group
        self._played = 0
        self.tried = Tried()
        self.random = random.Random(f"{self.settings.seed}/{check}")
        self._ends = self.clock.now() + (NO_LIMIT if seconds is None else seconds)
        self._ends_at_last = time.monotonic() + most

    @property
    def time_left(self) -> float:
        """The seconds left of this check's share; a check that could run forever stops at 0."""
        return max(0.0, min(self._ends - self.clock.now(), self._ends_at_last - time.monotonic()))

    @contextmanager
    def with_time(self, seconds: float) -> Iterator[None]:
        """At least so many seconds for what is done here, which cost this check none of its own."""
        ends, at_last, started, at = self._ends, self._ends_at_last, self.clock.now(), time.monotonic()
        self._ends, self._ends_at_last = started + seconds, at + _PATIENCE * seconds
        try:
            yield
        finally:
            self._ends, self._ends_at_last = ends + self.clock.now() - started, at_last + time.monotonic() - at

    @property
    def lacks_rows(self) -> bool:
        """Whether the group of this check has not yet played on the rows that are guaranteed to it."""
        rows = self._group_rows.get(self._group)
        return rows is not None and len(rows) < self.least_rows

    @property
    def least_rows(self) -> int:
        """How many rows are guaranteed to the groups that decide about the reward."""
        return min(LEAST_ROWS, len(self.rows), self.settings.rows or LEAST_ROWS)

    @property
    def effort(self) -> Effort:
        """`quick`, `default` or `thorough`."""
        return self.settings.effort

    @property
    def chosen(self) -> list[int]:
        """The indices of the rows to check on: the first, and others drawn with the seed."""
        return self.sample(self.settings.rows or CHOSEN[self.effort])

    def sample(self, count: int) -> list[int]:
        """The indices of at most so many rows, with the first among them; fewer where an episode takes long."""
        indices = list(self.rows.indices)
        count = max(min(count, LEAST_ROWS), int(count * self.part_played))
        count = min(count, self.settings.rows or count)
        if count >= len(indices):
            return indices
        drawn = random.Random(self.settings.seed).sample(indices[1:], count - 1)
        return sorted([indices[0], *drawn])

    @property
    def part_played(self) -> float:
        """The part of the usual rows and answers that fits into the time, given what an episode takes."""
        return min(1.0, QUICK_EPISODE / max(self.episode_seconds, 1e-9))

    @property
    def slow(self) -> bool:
        """Whether an episode takes so long that checks play on fewer rows."""
        return self.part_played < 1

    def in_time(self, items: Iterable[T], part: float = 0.75, most: float = float("inf")) -> Iterator[T]:
        """The items, until this part of the time left, or so many seconds, are used up; the first one always."""
        whole = self.time_left
        until = whole - min(whole * part, most)
        for number, item in enumerate(items):
            if number and self.time_left < until and not self.lacks_rows:
                return
            yield item

    # Answers and episodes

    def answer(self, row: int, completion: Completion) -> Episode:
        """The episode in which the model gives this answer; a failure is in its `error`."""
        return _the_one(self.answers([(row, completion)]))

    def answers(self, answers: Iterable[tuple[int, Completion]], at_once: int = AT_ONCE) -> list[Episode]:
        """The episode of each (row, completion), as far as the time of this check allows."""
        pairs = list(answers)
        policy = FixedReplies([completion for _, completion in pairs])
        return self._run(policy, [Job(row, sample) for sample, (row, _) in enumerate(pairs)], at_once=at_once)

    def score(self, row: int, completion: Completion) -> Score:
        """The score of an answer; raises `FailedHereError` if the environment failed."""
        episode = self.answer(row, completion)
        failed = failure_of(episode, completion)
        if failed:
            raise failed
        return Score(episode.reward, episode.rewards)

    def play(self, row: int, policy: str | Policy, sample: int = 0, limits: Limits | None = None) -> Episode:
        """The episode of one row with a policy: `random`, `gold` or one of your own."""
        return _the_one(self._run(policy, [Job(row, sample)], limits))

    def play_many(
        self,
        rows: Iterable[int],
        policy: str | Policy,
        samples: int = 1,
        limits: Limits | None = None,
        source: RowSource | None = None,
        on: LoadedEnv | None = None,
    ) -> list[Episode]:
        """The episodes of every sample of every row, in that order, as far as the time of this check allows.

        `source` has the rows where they are not those of the environment, `on` another instance to play on.
        """
        jobs = [Job(row, sample) for row in rows for sample in range(samples)]
        return self._run(policy, jobs, limits, source=source, on=on)

    def _run(
        self,
        policy: str | Policy,
        jobs: list[Job],
        limits: Limits | None = None,
        at_once: int = AT_ONCE,
        source: RowSource | None = None,
        on: LoadedEnv | None = None,
    ) -> list[Episode]:
        if self.recall(HANG) is not None:
            raise NoEpisodeEndsError
        self.hold_open()
        player = make_policy(policy) if isinstance(policy, str) else policy
        loaded, limits = on or self.loaded, limits or self.limits
        patience = max(limits.policy_seconds or 0.0, self.call_seconds)  # the gold policy waits for a call of `solve`
        limits = replace(limits, policy_seconds=patience)
        rollout = Rollout(player, limits=limits, concurrency=at_once, live_model=self.live_model, copies=False)
        if self.slow and self._played and self.time_left <= 0 and not self.lacks_rows:
            self.tried.add([job.row_index for job in jobs], [])
            return []
        self.files = self.files or OpenFiles()
        episodes = play_jobs(loaded, source or self.rows, rollout, jobs, self._begins, self.loops)
        if is_full():
            raise no_more_threads()
        if are_full(self.files):
            raise no_more_files()
        self._played += len(episodes)
        done = [episode.row_index for episode in episodes]
        hung = any(episode.stop_reason == "timeout" for episode in episodes)
        self.tried.add(done if hung else [job.row_index for job in jobs], done)
        self.best_reward = max([self.best_reward, *(item.reward for item in episodes if item.reward is not None)])
        return episodes

    @contextmanager
    def in_new_threads(self) -> Iterator[None]:
        """While this lasts, episodes play in threads that began with it, as a trace sees no others."""
        self.loops.close()
        try:
            yield
        finally:
            self.loops.close()

    @property
    def live_model(self) -> LiveModel | None:
        """The model of `--model`, where scores use one."""
        named = self.settings.model is not None and has_live_model(self.settings.model)
        if not named or not self.loaded.scores_with_model:
            return None
        return self.once("live model", self._open_model)

    def _open_model(self) -> LiveModel | None:
        self.note_stage(OPENING)
        assert self.settings.model is not None
        try:
            return live_model_of(make_policy(self.settings.model))
        except UsageError:
            if self.traits.uses_model:
                raise
            return None  # the folder of a tokenizer alone, and perhaps no need of more

    def _begins(self, job: Job) -> bool:
        """Note that an episode starts next; False if the time of this check, the threads or the files are used up."""
        goes_on = (self.time_left > 0 or self.lacks_rows) and not is_full() and not are_full(self.files)
        if goes_on or not self._played:
            self.note_stage("an episode", job.row_index)
            self._group_rows.get(self._group, set()).add(job.row_index)
        return goes_on

    # Tools

    @property
    def tools(self) -> Schemas:
        """The schemas of its tools; where each row has its own, the first of each name in the chosen rows."""
        return self.once("tools", self._tools_of_chosen) if self.traits.tools_of_rows else self.loaded.tools

    def tools_of(self, row: int) -> Schemas:
        """The schemas of the tools of a row; none where its episode does not open, which C104 reports."""
        found = self.opened_tools(row)
        return [] if isinstance(found, Fault) else found

    def opened_tools(self, row: int) -> Schemas | Fault:
        """The schemas of the tools of a row, or why its episode does not open."""
        self.note_stage("reset", row)
        return self.once(
            ("tools", row),
            lambda: open_rows(self.loaded, self.rows, [row], call_seconds=self.settings.call_seconds)[row],
        )

    def _tools_of_chosen(self) -> Schemas:
        found: dict[str, dict[str, Any]] = {}
        for tool in (tool for row in self.chosen for tool in self.tools_of(row)):
            found.setdefault(name_of(tool), tool)
        return list(found.values())


def _the_one(episodes: list[Episode]) -> Episode:
    if not episodes:
        raise OutOfTimeError
    return episodes[0]
