"""Plays episodes while the asynchronous trainer trains: the side of `AsyncGRPOTrainer` that makes its samples."""

import asyncio
import queue
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from grpo_env_sdk.ext import EnvironmentFailedError, Job
from grpo_env_trl.asynchronous.samples import samples_of
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.writer import TurnServer

_PAUSE = 0.02
"""Seconds between two looks at whether the trainer has taken something."""
_BEAT = 1.0
"""Seconds between two signs of life of the event loop."""
_OF_BATCHES = ("time/environment", "time/model")
"""Metrics that have no meaning here: nobody waits for a group."""
_STOPPING = 10.0
"""Seconds that episodes get to end once the training is over."""


@dataclass
class RolloutWorker:
    """Keeps episodes going, group by group, and hands each group to the trainer once all of it has ended.

    It works in the event loop of the player. Groups that are played, or wait for the trainer, are together at most as
    many as can be trained before they are stale. Every group has a number, counted from the first row on.
    """

    player: BatchPlayer
    renderer: Renderer
    args: Any
    """The trainer's `AsyncGRPOConfig`."""
    connect: Callable[[Sequence[int]], TurnServer]
    """Opens what samples the turns, once that has the trainer's weights; its argument is the tokens that end a turn."""
    max_turn_tokens: int | None = None
    skip: set[int] = field(default_factory=set)
    """The groups that an earlier part of this training has trained on."""

    def __post_init__(self) -> None:
        self.rollout_buffer: queue.Queue[Any] = queue.Queue(self.args.queue_maxsize)
        self.metrics_queue: queue.Queue[dict[str, float]] = queue.Queue()
        self.version = 0
        self._beat = 0.0
        self._playing: Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._source: TurnServer | None = None

    def start(self) -> None:
        """Connect to the server, which has the trainer's weights now; only the first process calls this."""
        self._source = self.connect(sorted(self.renderer.eos_ids))

    def begin(self) -> None:
        """Play from the first group on; has no effect where episodes go on, or in a process that never started."""
        if self._source is None or self._playing is not None:
            return
        self.player.begin()
        self._beat = time.monotonic()
        self._playing = self.player.loop.submit(self._play(self._source))

    def stop(self) -> None:
        """End what still goes on; nothing more is handed over."""
        if self._playing is not None:
            self._playing.cancel()
            self.player.loop.run(self._stopped())
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
        room = asyncio.Semaphore(self._groups_at_once())
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._live())
                for number in (one for one in count() if one not in self.skip):
                    await room.acquire()
                    tasks.create_task(self._group(number, source, room.release))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    def _groups_at_once(self) -> int:
        """As many groups as are trained before the oldest is stale; one where the order of episodes counts."""
        env, size = self.player.hosts.env, self.args.num_generations
        wanted = max(size, self.args.max_inflight_tasks)
        return 1 if env.scores_in_order else max(1, env.at_once(wanted) // size)

    async def _group(self, number: int, source: TurnServer, release: Callable[[], None]) -> None:
        jobs = list(self.jobs(number))
        policy = TokenPolicy(
            source, self.renderer, jobs, self.args.max_completion_length, source.context_length,
            self.max_turn_tokens, seed=f"{self.args.seed}/{number}",
        )  # fmt: skip
        version = self.version
        episodes = await self.player.playing(jobs, policy, training=True)
        self.player.ended(episodes, True, version)
        metrics = self.player.metrics()
        self.metrics_queue.put({name: value for name, value in metrics.items() if name not in _OF_BATCHES})
        await self._hand_over(samples_of(episodes, policy.episodes, group=number, version=version))
        release()

    def jobs(self, number: int) -> Iterator[Job]:
        """The episodes of a group: each epoch shuffles the rows anew, by the seed of the training."""
        rows = self.player.rows[0].indices
        epoch, place = divmod(number, len(rows))
        order = random.Random(f"{self.args.seed}/{epoch}").sample(rows, len(rows))
        return (Job(order[place], sample) for sample in range(self.args.num_generations))

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
