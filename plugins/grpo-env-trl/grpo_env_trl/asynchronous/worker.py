"""Plays episodes while the asynchronous trainer trains: the side of `AsyncGRPOTrainer` that makes its samples."""

import asyncio
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import EnvironmentFailedError, Job, failure_of
from grpo_env_trl.asynchronous.group_metrics import GroupMetrics
from grpo_env_trl.asynchronous.groups import Groups
from grpo_env_trl.asynchronous.samples import samples_of
from grpo_env_trl.bridges.mixture import Member
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.writer import TurnServer

_PAUSE = 0.02
"""Seconds between two looks at whether the trainer has taken something."""
_BEAT = 1.0
"""Seconds between two signs of life of the event loop."""
_STOPPING = 10.0
"""Seconds that episodes get to end once the training is over."""


@dataclass
class RolloutWorker:
    """Keeps episodes going, group by group, and hands each group to the trainer once all of it has ended.

    It works in the event loop of its members. Groups that are played, or wait for the trainer, are together at most as
    many as can be trained before they are stale. Every group has a number, which says what it plays.
    """

    members: Sequence[Member]
    """The environments; their episodes live in one event loop."""
    groups: Groups
    args: Any
    """The trainer's `AsyncGRPOConfig`."""
    connect: Callable[[Sequence[int], Callable[[], int]], TurnServer]
    """Opens what samples the turns, once that has the trainer's weights; its arguments are the tokens that end a turn
    and what tells the version of the newest weights."""
    max_turn_tokens: int | None = None
    skip: set[int] = field(default_factory=set)
    """The groups that an earlier part of this training has trained on."""

    def __post_init__(self) -> None:
        self.rollout_buffer: queue.Queue[Any] = queue.Queue(self.args.queue_maxsize)
        self.metrics_queue = GroupMetrics(several=len(self.members) > 1)
        self.version = 0
        self.step = 0
        """The last step of the trainer."""
        self._beat = 0.0
        self._playing: Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._source: TurnServer | None = None
        self._loop = self.members[0].player.loop
        self._unscored: Counter[str] = Counter()
        """Why episodes had no score, since the last one that had."""

    def start(self) -> None:
        """Connect to the server, which has the trainer's weights now; only the first process calls this."""
        self._source = self.connect(sorted(self.members[0].renderer.eos_ids), lambda: self.version)

    def begin(self) -> None:
        """Play from the first group on; has no effect where episodes go on, or in a process that never started."""
        if self._source is None or self._playing is not None:
            return
        for member in self.members:
            member.player.begin()
        self._beat = time.monotonic()
        self._playing = self._loop.submit(self._play(self._source))

    def stop(self) -> None:
        """End what still goes on; nothing more is handed over."""
        if self._playing is not None:
            self._playing.cancel()
            self._loop.run(self._stopped())
        self._playing = self._source = None

    def update_model_version(self, model_version: int) -> None:
        """The server has newer weights: groups that begin now belong to them."""
        self.version = model_version

    def check_health(self, stale_after_s: float) -> None:
        """Raise what ended the episodes, or that their event loop no longer answers."""
        if self._playing is not None and self._playing.done():
            self._playing.result()
        silent = time.monotonic() - self._beat
        if silent > stale_after_s:
            raise EnvironmentFailedError(
                f"The event loop of the episodes has not answered for {silent:.0f} s.",
                "Something blocks it: look for code without await in an async function of the environment.",
            )

    async def _play(self, source: TurnServer) -> None:
        """Groups without end, several at once; the error of one ends all."""
        self._task = asyncio.current_task()
        wanted = max(self.args.num_generations, self.args.max_inflight_tasks)
        room = asyncio.Semaphore(wanted // self.args.num_generations)
        rooms = [asyncio.Semaphore(self._groups_at_once(member, wanted)) for member in self.members]
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._live())
                for number in (one for one in count() if one not in self.skip):
                    await room.acquire()
                    tasks.create_task(self._group(number, source, room, rooms))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    def _groups_at_once(self, member: Member, wanted: int) -> int:
        """As many groups of an environment as it plays at once; one where the order of episodes counts."""
        env = member.player.hosts.env
        return 1 if env.scores_in_order else max(1, env.at_once(wanted) // self.args.num_generations)

    async def _group(
        self, number: int, source: TurnServer, room: asyncio.Semaphore, rooms: Sequence[asyncio.Semaphore]
    ) -> None:
        which, _ = self.groups.of(number)
        member, jobs = self.members[which], list(self.jobs(number))
        policy = TokenPolicy(
            source, member.renderer, jobs, self.args.max_completion_length, source.context_length,
            self.max_turn_tokens, seed=f"{self.args.seed}/{number}",
        )  # fmt: skip
        async with rooms[which]:
            version = self.version
            episodes = await member.player.playing(jobs, policy, training=True)
        member.player.ended(episodes, True, version)
        if member.player.last:
            self.metrics_queue.add(member.name, member.player.last)
        self._check_scored(episodes)
        await self._hand_over(samples_of(
            episodes, policy.episodes, group=number, version=version, parts=len(self.members) == 1
        ))  # fmt: skip
        room.release()

    def _check_scored(self, episodes: Sequence[Episode]) -> None:
        """Raise where nothing is left to train on: no episode had a score for long, in whatever environment."""
        if any(episode.reward is not None for episode in episodes):
            self._unscored.clear()
            return
        failures = [failure_of(episode) for episode in episodes]
        self._unscored.update(failure.message if failure else "Every reward abstained." for failure in failures)
        if self._unscored.total() >= sum(member.player.stop_after for member in self.members):
            cause, _ = self._unscored.most_common(1)[0]
            raise EnvironmentFailedError(
                f"After step {self.step} none of the last {self._unscored.total()} episodes was scored, most often "
                f"with: {cause.rstrip('.')}.",
                "Correct that, then continue from the last checkpoint: grpo-env train --resume RUN.",
            )

    def jobs(self, number: int) -> Iterator[Job]:
        """The episodes of a group."""
        _, row = self.groups.of(number)
        return (Job(row, sample) for sample in range(self.args.num_generations))

    async def _hand_over(self, samples: Sequence[Any]) -> None:
        for sample in samples:
            while self.rollout_buffer.full():
                await asyncio.sleep(_PAUSE)
            self.rollout_buffer.put_nowait(sample)
        while self.rollout_buffer.qsize() >= max(self.args.max_inflight_tasks, 1):
            await asyncio.sleep(_PAUSE)

    async def _live(self) -> None:
        while True:
            self._beat = time.monotonic()
            await asyncio.sleep(_BEAT)

    async def _stopped(self) -> None:
        """Wait until the episodes have been cancelled and their environments closed."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_STOPPING)
        if self._source is not None:
            await self._source.close()
