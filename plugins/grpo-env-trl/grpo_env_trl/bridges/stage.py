"""The environment's side of training: many episodes at once, each to where the model is to write or to its end."""

import asyncio
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.errors import EnvironmentFailedError, UsageError
from grpo_env_sdk.isolation.loop_thread import LoopThread
from grpo_env_sdk.isolation.thread_pool import ThreadPool
from grpo_env_sdk.rollout.episode import (
    Command,
    Done,
    Event,
    Exhausted,
    Failed,
    Generate,
    Limits,
    LiveEpisode,
    ScoreEpisode,
)
from grpo_env_sdk.rollout.thread_host import EpisodeHost
from grpo_env_sdk.types import Episode, Fault
from grpo_env_trl.bridges.batch import Batch, part_means
from grpo_env_trl.bridges.state import adaptive_weights
from grpo_env_trl.inference.borrow_model import ShardedModel, lent
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.transcript import TokenTranscript
from grpo_env_trl.trl_facts import forward_is_collective, means_over_ranks

STOP_AFTER = 64
"""So many failed episodes, and none that did not fail, end a training."""
MOST_AT_ONCE = 1024
"""Calls into environment code that run side by side; threads are made as they are needed."""


@dataclass
class LiveRollout:
    """One episode of a batch: its state machine, its environment, and the tokens of its transcript."""

    live: LiveEpisode
    host: EpisodeHost
    transcript: TokenTranscript | None
    command: Command | None = None
    seconds: float = 0.0

    @property
    def waiting(self) -> bool:
        """Whether it is the model's turn."""
        return isinstance(self.command, Generate)

    @property
    def episode(self) -> Episode:
        """The record of an episode that ended."""
        assert isinstance(self.command, Done)
        return self.command.episode


@dataclass
class Stage:
    """Plays the environment's part of every episode of a batch, in parallel and under deadlines."""

    loaded: LoadedEnv
    rows: Sequence[Rows]
    limits: Limits
    stop_after: int = STOP_AFTER
    seen: Callable[[Batch], None] = lambda batch: None
    last: Batch | None = None
    failures: Counter[str] = field(default_factory=Counter)
    succeeded: bool = False

    def __post_init__(self) -> None:
        import torch

        turns, most = self.limits.turns, self.loaded.traits.max_turns
        self.limits = replace(self.limits, turns=most if turns is None else min(turns, most))
        self.loop = LoopThread(on_start=lambda: torch.set_grad_enabled(False))
        self._pool = ThreadPool(MOST_AT_ONCE, max_left_behind=64)
        weakref.finalize(self, _let_go, self.loop, self._pool).atexit = False
        self._in_order = asyncio.Lock()

    @property
    def one_by_one(self) -> bool:
        """Whether whole episodes have to run one after another, as they share an instance that runs tools."""
        return self.loaded.traits.instances == "shared" and self.loaded.traits.kind == "tools"

    def lendable(self, model: Any) -> Any:
        """What scorers are handed as the model; refused where they cannot do without and it cannot be lent."""
        if not forward_is_collective():
            return model
        if self.loaded.traits.uses_model:
            raise UsageError(
                f"{self.loaded.spec.id} scores with the model (uses_model), which is spread over processes here.",
                "Train with plain data parallelism, or score without the model.",
            )
        return ShardedModel()

    def begin(
        self,
        places: Sequence[int],
        model: Any,
        training: bool,
        renderer: Renderer | None = None,
        most: int | None = None,
        context_length: int | None = None,
    ) -> list[LiveRollout]:
        """Live episodes of these rows, none begun yet; `model` is what scorers are handed."""
        seen: Counter[int] = Counter()
        begun = []
        for place in places:
            live = self._episode(place, seen[place])
            seen[place] += 1
            host = EpisodeHost(
                self.loaded, self._pool, self.limits, model=model, training=training, around_score=_no_gradients
            )
            tokens = TokenTranscript(renderer, most, context_length) if renderer else None
            begun.append(LiveRollout(live, host, tokens))
        return begun

    def advance(self, moves: Sequence[tuple[LiveRollout, Event | None]], model: Any) -> None:
        """Feed each rollout its event (None begins it) and carry it on to the model's turn or to its end."""
        with lent(model) if model is not None and not isinstance(model, ShardedModel) else nullcontext():
            self.loop.run(_all(self._carry_on(rollout, event) for rollout, event in moves))

    def end(
        self, rollouts: Sequence[LiveRollout], training: bool, model: float, environment: float, step: int
    ) -> list[Episode]:
        """The records of a batch whose episodes are over; raises where nothing but failures ever came."""
        self.loop.run(_all(rollout.host.close() for rollout in rollouts))
        episodes = [rollout.episode for rollout in rollouts]
        self.last = Batch(episodes, training, model, environment, step, self._move_weights(episodes, training))
        self.seen(self.last)
        self._count_failures(episodes)
        return episodes

    def _move_weights(self, episodes: Sequence[Episode], training: bool) -> dict[str, float]:
        """Let adaptive weights see the mean of their reward; what they are now."""
        weights = adaptive_weights(self.loaded.env)
        if training and weights:
            means = part_means(episodes)
            for item, mean in zip(weights, means_over_ranks([means.get(item.name) for item in weights]), strict=True):
                if mean is not None:
                    item.observe(mean)
        return {f"weight/{item.name}": item.weight for item in weights}

    def metrics(self) -> dict[str, float]:
        """What is logged of the batch that ended last."""
        return self.last.metrics() if self.last else {}

    def _episode(self, place: int, sample: int) -> LiveEpisode:
        spec = self.loaded.spec
        rows = next(rows for rows in self.rows if rows.offset <= place < rows.offset + len(rows.dataset))
        return LiveEpisode(
            spec.id, self.loaded.traits.kind, rows.row(place), tools=self.loaded.tools,
            limits=self.limits, version=spec.version, row_index=place, sample=sample,
        )  # fmt: skip

    async def _carry_on(self, rollout: LiveRollout, event: Event | None) -> None:
        live = rollout.live
        left = None if self.limits.episode_seconds is None else self.limits.episode_seconds - rollout.seconds
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(left) as scope:
                command = await self._to_next_turn(rollout, live.start() if event is None else live.feed(event))
        except TimeoutError:
            if not scope.expired():
                raise
            fault = Fault("sdk", "episode", "DeadlineError", f"not over within {self.limits.episode_seconds:g} s")
            command = live.feed(Failed("timeout", fault, "environment"))
        rollout.command = command
        rollout.seconds += asyncio.get_running_loop().time() - started

    async def _to_next_turn(self, rollout: LiveRollout, command: Command) -> Command:
        """Do what is asked for until it is the model's turn and it has room for one, or until nothing is left to do."""
        live, tokens = rollout.live, rollout.transcript
        while not isinstance(command, Done):
            if isinstance(command, Generate):
                if tokens is None or tokens.read(command.messages):
                    break
                command = live.feed(Exhausted() if live.turns else _too_long(tokens))
            else:
                serial = isinstance(command, ScoreEpisode) and not self.loaded.traits.parallel
                async with self._in_order if serial else nullcontext():
                    command = live.feed(await rollout.host.perform(command))
        return command

    def _count_failures(self, episodes: Sequence[Episode]) -> None:
        faults = [episode.error for episode in episodes if episode.error]
        self.succeeded = self.succeeded or len(faults) < len(episodes)
        self.failures.update(f"{fault.type}: {fault.message}" for fault in faults)
        if not self.succeeded and self.failures.total() >= self.stop_after:
            cause, count = self.failures.most_common(1)[0]
            raise EnvironmentFailedError(
                f"Every one of {self.failures.total()} episodes failed, {count} with {cause}",
                f"Mend it, then see it run: grpo-env eval {self.loaded.spec.id} --model random -n 8.",
            )


def _let_go(loop: LoopThread, pool: ThreadPool) -> None:
    """Let the threads of a stage end that nobody holds any more."""
    pool.close()
    loop.close()


def _no_gradients() -> AbstractContextManager[Any]:
    import torch

    return torch.no_grad()


def _too_long(transcript: TokenTranscript) -> Failed:
    told = f"the prompt has {len(transcript.prompt_ids)} tokens; the model reads {transcript.context_length}"
    return Failed("policy_error", Fault("policy", "generate", "PromptTooLong", told), "policy")


async def _all(works: Any) -> None:
    """Wait for all of them; what one raises is raised once none runs any more."""
    outcomes = await asyncio.gather(*works, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
