"""The event loop of an environment's async code and what `open_shared` opened, for all runs that go on at once."""

import asyncio
import threading
import warnings
from typing import Any

from grpo_env_sdk.envs.open_resource import LEAVE_SECONDS, OpenResource
from grpo_env_sdk.envs.shared_resource import opens_shared
from grpo_env_sdk.errors import DeadlineError, GrpoEnvWarning
from grpo_env_sdk.isolation.loops.env_loop import EnvLoop


class RunResources:
    """Opened for the first run that holds them, and closed when the last lets go."""

    def __init__(self) -> None:
        self.loop = EnvLoop()
        self._lock = threading.Lock()
        self._holders = 0
        self._open: OpenResource | None = None
        self.not_closed: dict[str, str] = {}
        """The first failure of each thing that was to be closed: a `close`, or the end of `open_shared`."""
        self.warns = True
        """Whether such a failure is a warning, too."""

    async def hold(self, env: Any, seconds: float | None) -> None:
        """Open what the class shares, unless another run has; raises if that fails or takes longer."""
        with self._lock:
            if self._open is None and opens_shared(env):
                self._open = OpenResource(env, self.loop)
            self._holders += 1
            opened = self._open
        try:
            if opened is not None:
                await _until_entered(opened, seconds)
        except BaseException:
            await self.release()
            raise

    async def release(self) -> None:
        """Let go, and wait until what nobody holds any more is closed; a failure of that is a note."""
        if (opened := self._let_go()) is None:
            return
        left = asyncio.wrap_future(opened.left)
        await asyncio.wait({left}, timeout=LEAVE_SECONDS)
        if not left.done():
            self.note_failure(opened.what, f"{opened.what} was not left within {LEAVE_SECONDS:g} s.")
        else:
            self._note_end_of(opened)

    def let_go(self) -> None:
        """Let go at once, without waiting for what nobody holds any more."""
        if (opened := self._let_go()) is not None:
            opened.left.add_done_callback(lambda left: self._note_end_of(opened))

    def note_failure(self, what: str, failure: str) -> None:
        """Keep the failure of something that was to be closed, and warn of it the first time."""
        if what not in self.not_closed:
            self.not_closed[what] = failure
            if self.warns:
                warnings.warn(f"{failure} Scores stay as they are.", GrpoEnvWarning, stacklevel=2)

    def _note_end_of(self, opened: OpenResource) -> None:
        if opened.failure:
            self.note_failure(opened.what, opened.failure)

    def _let_go(self) -> OpenResource | None:
        with self._lock:
            self._holders -= 1
            if self._holders > 0:
                return None
            opened, loop = self._open, self.loop
            self._open, self.loop = None, EnvLoop()
        if opened is None:
            loop.close()
            return None
        opened.left.add_done_callback(lambda left: loop.close())
        opened.leave()
        return opened

    def check(self) -> None:
        """Raise if what was opened has ended by itself."""
        if self._open is not None:
            self._open.check()


async def _until_entered(opened: OpenResource, seconds: float | None) -> None:
    entered = asyncio.wrap_future(opened.entered)
    try:
        await asyncio.wait({entered}, timeout=seconds)
    finally:
        late = entered.cancel()
    if late:
        raise DeadlineError(
            f"{opened.what} did not come back within {seconds:g} s.",
            "Fix what hangs, or give it more time: --limit-build.",
        )
    entered.result()
