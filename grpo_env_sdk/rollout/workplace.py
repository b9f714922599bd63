"""What the hosts of a run share: the environment, its threads and event loop, and what scorers are given."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import Any, TypeVar

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.calls.thread_pool import MAX_LEFT_BEHIND, MOST_THREADS, ThreadPool
from grpo_env_sdk.rollout.commands import USUAL_CALL, Limits

T = TypeVar("T")
_CHECKS = 2
"""So few at once, as each takes its turn with the event loop."""


class Workplace:
    """Where the environment code of a run works: threads of this process, from one pool, and one event loop.

    `call_seconds` is the deadline of each reset, step, tool, solution and score; other limits are the driver's.
    `model` is what scorers are given, with its `tokenizer` (or that of the rows); `around_score` is entered around each
    of their calls, in its thread, and `alone` around each score that uses the model, before its time counts. `pool` has
    the threads where the caller keeps them for other runs.
    """

    def __init__(
        self,
        loaded: LoadedEnv,
        call_seconds: float | None = USUAL_CALL,
        *,
        threads: int = 64,
        max_left_behind: int = MAX_LEFT_BEHIND,
        model: Any = None,
        tokenizer: Any = None,
        around_score: Callable[[], AbstractContextManager[Any]] = nullcontext,
        alone: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
        copies: bool = True,
        pool: ThreadPool | None = None,
    ) -> None:
        self.loaded = loaded
        self.asked_call_seconds = call_seconds
        """What the user of the run has asked for, `USUAL_CALL` where that is nothing."""
        self.call_seconds = Limits(call_seconds=call_seconds).of(loaded.description).call_seconds
        self.model = model
        self.tokenizer = tokenizer
        self.alone = alone
        self.around_score = around_score
        self.copies = copies
        """Whether environment code gets copies of what the record keeps."""
        self.pool = pool or ThreadPool(min(threads, MOST_THREADS), max_left_behind)
        self._keeps_pool = pool is not None
        self.checks = ThreadPool(_CHECKS)
        """Where arguments are checked that take long to check."""
        self._holds = False
        self.replacing = asyncio.Lock()
        """Held while a shared instance that hangs is replaced."""

    @property
    def env(self) -> EnvDescription:
        """What drivers and policies may know of the environment."""
        return self.loaded.description

    def given(self, value: T) -> T:
        """What environment code is given in the place of a part of the record."""
        return own_copy(value) if self.copies else value

    async def begin(self) -> None:
        """Open what the class shares between episodes; the driver awaits this before the first one."""
        if not self._holds:
            await self.loaded.resources.hold(self.loaded.env, self.loaded.build_timeout)
            self._holds = True

    def calling(self, function: Callable[..., T], *args: Any) -> T:
        """What a function returns in this thread; what is async in it is awaited on the loop of the run."""
        return self.loaded.resources.loop.calling(self.call_seconds, self.env.spec.id, function, *args)

    async def end(self) -> None:
        """Close what `begin` has opened, unless other runs use it; `begin` may follow."""
        if self._holds:
            self._holds = False
            await self.loaded.resources.release()

    def close(self) -> None:
        """Let the idle threads end, and let go of what is open."""
        if not self._keeps_pool:
            self.pool.close()
        self.checks.close()
        if self._holds:
            self._holds = False
            self.loaded.resources.let_go()
