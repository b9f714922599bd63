"""Plays the episodes of a batch on the SDK's driver, for every bridge, and keeps count of failures."""

import copy
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvWarning, Limits, Policy, Row
from grpo_env_sdk.ext import (
    EnvironmentFailedError,
    EnvState,
    HostFactory,
    Job,
    LoadedEnv,
    LoopThread,
    ProcessHosts,
    Rollout,
    Rows,
    ThreadHosts,
    UserSource,
    drive,
    give_state,
    give_to_worker,
    qualified,
    run_coroutine,
    state_in_worker,
    state_of,
    user_source,
)
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch, part_means
from grpo_env_trl.bridges.mixture_metrics import tally_of_all
from grpo_env_trl.bridges.state import OF_WORKERS, moving_weights
from grpo_env_trl.inference.borrow_model import ShardedModel, lent, sharded_for
from grpo_env_trl.live_episodes import at_once
from grpo_env_trl.ranks import forward_is_collective, means_over_ranks
from grpo_env_trl.writers.figures import Figures
from grpo_env_trl.writers.writer import Writer

STOP_AFTER = 64
"""This many failed episodes of an environment, with none that succeeded, end a training."""
MOST_AT_ONCE = 1024
"""Calls of environment code that run at the same time; threads start as they are needed."""


@dataclass
class BatchPlayer:
    """The environment's side of a training: its hosts, its rows, and the batches that were played."""

    loaded: LoadedEnv
    rows: Sequence[Rows]
    limits: Limits
    tokenizer: Any = None
    """That of the model, for scorers; None takes the one that built the rows."""
    stop_after: int = STOP_AFTER
    seen: Callable[[Batch], None] = lambda batch: None
    shared_loop: LoopThread | None = None
    """Where its episodes live; None begins a thread for them."""
    mixed: bool = False
    """Whether other environments are trained on together with it."""
    alone: bool = False
    """Whether this process plays all episodes of the training, also where several train."""
    last: Batch | None = None
    failures: Counter[str] = field(default_factory=Counter)
    """Why episodes failed, since the last batch in which one worked."""
    succeeded: bool = False
    warned: bool = False
    """Whether it was said that its episodes fail now."""

    def __post_init__(self) -> None:
        import torch

        self.loop = self.shared_loop or LoopThread(on_start=lambda: torch.set_grad_enabled(False))
        self.hosts = self._hosts()
        at_once(self.loaded, 1)  # raises where there are too many processes
        self.user = user_source(self.loaded)
        weakref.finalize(self, _let_go, self.loop, self.hosts, self.user, self.shared_loop is None).atexit = False

    def _hosts(self) -> ThreadHosts | ProcessHosts:
        """Hosts in threads of this process, or in processes of their own, whose scorers have no model."""
        if self.loaded.pool.kind != "thread":
            return ProcessHosts(self.loaded, self.limits.call_seconds, has_model=True, tokenizer=self.tokenizer)
        return ThreadHosts(
            self.loaded, self.limits.call_seconds, threads=MOST_AT_ONCE,
            tokenizer=copy.deepcopy(self.tokenizer),  # a scorer may set it up as it likes
            around_score=_no_gradients,
        )  # fmt: skip

    @property
    def threads(self) -> ThreadHosts:
        """Its hosts where they are threads of this process."""
        assert isinstance(self.hosts, ThreadHosts)
        return self.hosts

    @property
    def indices(self) -> list[int]:
        """The indices of all rows."""
        return [index for rows in self.rows for index in rows.indices]

    def row(self, index: int) -> Row:
        """The row at `index` of the whole dataset, from whichever split has it."""
        rows = next(rows for rows in self.rows if rows.offset <= index < rows.offset + len(rows.dataset))
        return rows.row(index)

    def lend_to_scorers(self, model: Any) -> None:
        """Give scorers the model; an error if they need it and a forward pass needs every process."""
        if isinstance(self.hosts, ProcessHosts):
            return
        if forward_is_collective():
            model = sharded_for(self.loaded)
        self.hosts.model = model

    def lent(self) -> AbstractContextManager[Any]:
        """While this lasts scorers may run the model, and nothing is sampled."""
        model = None if isinstance(self.hosts, ProcessHosts) else self.hosts.model
        return nullcontext() if model is None or isinstance(model, ShardedModel) else lent(model)

    def play(
        self, jobs: Sequence[Job], policy: Policy, training: bool, writer: Writer | None = None,
        hosts: HostFactory | None = None, step: int = 0,
    ) -> list[Episode]:  # fmt: skip
        """The records in the order of the jobs; raises if every episode so far failed."""
        self.begin()
        started = time.perf_counter()
        playing = partial(self.playing, jobs, policy, training, writer.when_quiet if writer else None, hosts)
        if writer:
            episodes = writer.pump(lambda: self.loop.submit(playing()))
        else:
            with self.lent():
                episodes = self.loop.run(playing())
        figures = writer.figures if writer else None
        return self.ended(episodes, training, step, figures, time.perf_counter() - started)

    async def playing(
        self, jobs: Sequence[Job], policy: Policy, training: bool, when_quiet: Callable[[], None] | None = None,
        hosts: HostFactory | None = None,
    ) -> list[Episode]:  # fmt: skip
        """The records in the order of the jobs, in the event loop of the episodes; then call `ended`."""
        rollout = Rollout(
            policy, limits=self.limits, concurrency=at_once(self.loaded, max(1, len(jobs))), training=training,
            user=self.user, when_quiet=when_quiet,
        )  # fmt: skip
        async with aclosing(drive(hosts or self.hosts, self, rollout, jobs)) as playing:
            ended = {(episode.row_index, episode.sample): episode async for episode in playing}
        return [ended[job.row_index, job.sample] for job in jobs]

    def ended(
        self, episodes: list[Episode], training: bool, step: int, figures: Figures | None = None, wall: float = 0.0
    ) -> list[Episode]:
        """The episodes, counted; every process must call this for every batch, unless one plays alone.

        Raises if every one so far failed, in all processes.
        """
        weights = self._move_weights(episodes, training)
        self.last = Batch(episodes, training, step, figures, wall, weights)
        self.seen(self.last)
        self._count_failures(episodes)
        return episodes

    def begin(self) -> None:
        """Open what the class shares between episodes, unless it is open; in this thread, as some want the main one."""
        run_coroutine(self.hosts.begin())

    def end(self) -> None:
        """Close what the class shares between episodes: the training is over; another batch opens it again."""
        run_coroutine(self.hosts.end())

    def state(self) -> EnvState:
        """What a checkpoint keeps of the environment, wherever it lives."""
        if isinstance(self.hosts, ThreadHosts):
            return state_of(self.loaded)
        if self.hosts.shares_worker:
            return self.loop.run(state_in_worker(self.hosts))
        return OF_WORKERS if self.loaded.has_state else EnvState()

    def restore(self, state: EnvState) -> None:
        """Give the environment the state that a checkpoint kept."""
        if isinstance(self.hosts, ThreadHosts):
            give_state(self.loaded, state)
        elif self.hosts.shares_worker:
            self.loop.run(give_to_worker(self.hosts, state))

    def metrics_over_ranks(self) -> dict[str, float]:
        """The metrics of the last batch over all processes; every process must call this for every batch."""
        return self.last.metrics(tally_of_all(self.last.episodes)) if self.last else {}

    def _move_weights(self, episodes: Sequence[Episode], training: bool) -> dict[str, float]:
        """Update adaptive weights with the mean of their reward; returns the current weights."""
        moving = moving_weights(self.loaded.description)
        if training and moving:
            means = part_means(episodes)
            for part, mean in zip(moving, means_over_ranks([means.get(part.name) for part in moving]), strict=True):
                if mean is not None and part.moving:
                    part.moving.observe(mean)
        return {f"weight/{part.name}": part.weight_in_training for part in moving}

    def _count_failures(self, episodes: Sequence[Episode]) -> None:
        faults = [episode.error for episode in episodes if episode.error]
        if len(faults) < len(episodes):
            self.succeeded, self.warned = True, False
            self.failures.clear()
        else:
            self.failures.update(f"{fault.type}: {fault.message}" for fault in faults)
        here = self.failures.total() >= self.stop_after
        if not self._on_any(here):
            return
        if not self._on_any(self.succeeded):
            raise self._nothing_worked()
        if here and (self.mixed or ranks.started_together() > 1) and not self.warned:
            self.warned = True
            cause, _ = self.failures.most_common(1)[0]
            what = f"{self.failures.total()} episodes of {self.loaded.spec.id}"
            others = "The others train on without it." if self.mixed else "Other processes may train on."
            text = f"None of the last {what} worked, most often with: {cause.rstrip('.')}. {others}"
            warnings.warn(text, GrpoEnvWarning, stacklevel=2)

    def _on_any(self, flag: bool) -> bool:
        """Whether the flag is set in a process that plays."""
        return flag if self.alone else ranks.on_any(flag)

    def _nothing_worked(self) -> EnvironmentFailedError:
        """The error for an environment whose episodes failed in every process that plays."""
        failures = self.failures if self.alone else sum(ranks.of_all(self.failures), Counter())
        cause, count = failures.most_common(1)[0]
        what, name = f"{failures.total()} episodes", self.loaded.spec.id
        otherwise = ", or train without it: the others alone would be another mixture" if self.mixed else ""
        return EnvironmentFailedError(
            f"Every one of {what}{f' of {name}' if self.mixed else ''} failed, {count} with {cause}",
            f"Fix it, then see it run: grpo-env eval {qualified(self.loaded.spec)} --model random -n 8{otherwise}.",
        )


def jobs_of(row_indices: Sequence[int]) -> list[Job]:
    """One job for each row of a batch: rows that come several times are samples of one group."""
    seen: Counter[int] = Counter()
    jobs = []
    for index in row_indices:
        jobs.append(Job(index, seen[index]))
        seen[index] += 1
    return jobs


def _let_go(loop: LoopThread, hosts: HostFactory, user: UserSource | None, own: bool) -> None:
    """End the threads of a player that was garbage collected; a loop that is not its own goes on."""
    hosts.close()
    if own:
        loop.close(user)
    elif user and loop.loop.is_running():
        loop.submit(user.close())


def _no_gradients() -> AbstractContextManager[Any]:
    import torch

    return torch.no_grad()
