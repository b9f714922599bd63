"""Where the workers of a run come from: processes of this machine, or the machines that a plugin's pool has."""

import asyncio
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.calls.imports import import_object
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.processes.env_pool import POOLS, EnvPool
from grpo_env_sdk.isolation.processes.fork_server import ForkServer
from grpo_env_sdk.registry.pools import check_kind, plugin_pools
from grpo_env_sdk.rollout.process_frames import Frame
from grpo_env_sdk.rollout.worker_channel import Worker

_OF_A_RUN = ("call_seconds", "usual_call", "memory", "model")
"""What of an order may differ between runs whose workers come from one process."""


class WorkerLostError(Exception):
    """A worker is gone with its machine, which is not the environment's fault; says what happened."""


class WorkerLink(Protocol):
    """A worker as `ProcessHosts` sees it: it serves one episode at a time, from reset to close."""

    alone: asyncio.Lock
    """Held for one exchange, where several episodes share the worker."""
    usable: bool
    """Whether another episode may have it."""

    @property
    def alive(self) -> bool:
        """Whether it is usable and has not ended meanwhile."""

    async def ask(self, frame: Frame, seconds: float | None, clocks: int = 0) -> Frame:
        """What it answers; raises `WorkerLateError`, `WorkerEndedError` or `WorkerLostError`, and ends it, if nothing.

        `clocks` is how often it may say that a call begins which has a time of its own.
        """

    def kill(self) -> None:
        """End it and everything that it started; may be called again."""


class WorkerSource(Protocol):
    """Starts the workers of a run; what it cannot do it raises as a `GrpoEnvError`."""

    moves: int
    """How often an episode goes on in another worker after `WorkerLostError`."""

    @property
    def runs(self) -> bool:
        """Whether it has been started and not failed since."""

    def most(self) -> int:
        """The most workers at once, and so the most live episodes; asked before `start`."""

    async def start(self, seconds: float | None) -> None:
        """Get ready to start workers."""

    async def worker(self, seconds: float | None) -> WorkerLink:
        """Another worker, once there is room for it; cancelling this gives its place up."""

    def close(self) -> None:
        """End all workers, and what `start` has started; may be called again."""


class LoadingProcess:
    """A process that has loaded an environment, for all runs in pools of one kind; it ends with the last of them."""

    def __init__(self, pool: EnvPool, order: Mapping[str, Any]) -> None:
        self._kind = pool.kind
        self.server = server_for(pool, order)
        weakref.finalize(self, self.server.close)

    def serves(self, pool: EnvPool, order: Mapping[str, Any]) -> bool:
        """Whether workers for this pool and order can come from it: scorers read the tokenizer that built the rows."""
        return pool.kind == self._kind and order["scorer_tokenizer"] in (None, order["tokenizer"])


class ForkedWorkers:
    """Workers that are forked from a process of this machine which has loaded the environment."""

    moves = 0

    def __init__(self, pool: EnvPool, order: Mapping[str, Any], shared: LoadingProcess | None = None) -> None:
        """`shared` is a process that has loaded the environment already, and serves other runs too."""
        self._pool = pool
        self._shared = shared
        self._server = shared.server if shared else server_for(pool, order)
        self._settings = {name: order[name] for name in _OF_A_RUN if name in order}
        self._began = False
        self._forked: weakref.WeakSet[Worker] = weakref.WeakSet()

    @property
    def runs(self) -> bool:
        """Whether its process runs: code in a worker may have killed it."""
        return self._began and self._server.runs

    def most(self) -> int:
        """As many as the pool says."""
        return self._pool.workers

    async def start(self, seconds: float | None) -> None:
        """Start the process, and wait until it has loaded the environment."""
        await asyncio.to_thread(self._server.start, seconds)
        self._began = True

    async def worker(self, seconds: float | None) -> Worker:
        """A fork of the process."""
        worker = Worker(self._server.fork(self._settings))
        self._forked.add(worker)
        return worker

    def close(self) -> None:
        """End the process and all its forks; where others use the process, the forks of this source alone."""
        self._began = False
        if self._shared is None:
            self._server.close()
        for worker in list(self._forked) if self._shared else ():
            worker.kill()


def server_for(pool: EnvPool, order: Mapping[str, Any]) -> ForkServer:
    """The process of this machine that loads the environment of an order, and forks workers; it is not started."""
    models = [name for name in (order["tokenizer"], order["scorer_tokenizer"]) if name is not None]
    return ForkServer("grpo_env_sdk.rollout.process_main", order, **pool.launch(models))


def source_for(loaded: LoadedEnv, order: Mapping[str, Any]) -> WorkerSource:
    """Where the workers of an environment come from; raises a `UsageError` where its pool cannot be used here."""
    pool = loaded.pool
    check_kind(pool)
    if pool.kind in POOLS:
        shared: LoadingProcess | None = getattr(loaded, "process", None)
        return ForkedWorkers(pool, order, shared if shared and shared.serves(pool, order) else None)
    target = plugin_pools()[pool.kind].target
    make: Callable[[LoadedEnv, Mapping[str, Any]], WorkerSource] = import_object(target, f"The pool {pool.kind!r}")
    try:
        source = make(loaded, order)
    except GrpoEnvError:
        raise
    except Exception as exc:
        raise BrokenPackageError(
            f"The pool {pool.kind!r} ({target}) failed: {describe_error(exc)}.", "Report it to the plugin's author."
        ) from exc
    if not hasattr(source, "worker"):
        raise UsageError(f"{target} returned {source!r:.80}, which is no WorkerSource.", "See docs/extend.md.")
    return source
