"""A lock on the state of the process: who has it, and how long others have waited for it."""

import contextlib
import threading
import time
from collections.abc import Iterator

from grpo_env_sdk.errors import ProcessStuckError
from grpo_env_sdk.isolation.processes.env_pool import PROCESSES


class ProcessLock:
    """Lets one thread in at a time, as often as it likes; one that never comes out is an error for those who wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._holder: int | None = None
        self._depth = 0
        self._stuck_in = ""
        self._waiting_since: dict[int, float] = {}
        self._waited: dict[int, float] = {}

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock, however long others have it, and hold it."""
        me = threading.get_ident()
        with self._changed:
            if self._holder != me:
                self._wait(me)
                self._holder = me
            self._depth += 1
        try:
            yield
        finally:
            with self._changed:
                self._depth -= 1
                if self._depth == 0:
                    self._holder, self._stuck_in = None, ""
                    self._changed.notify()

    def _wait(self, me: int) -> None:
        self._waiting_since[me] = time.monotonic()
        self._changed.wait_for(lambda: self._holder is None or self._stuck_in)
        self._waited[me] = self.waited_by(me)
        del self._waiting_since[me]
        if self._holder is not None:
            raise ProcessStuckError(
                f"{self._stuck_in} did not come back, and has state of the whole process that other episodes need, "
                "such as its random state.",
                f"Fix the code that hangs, or give calls more time (--limit-call). {PROCESSES}",
            )  # fmt: skip

    def waited_by(self, thread: int | None) -> float:
        """How many seconds a thread has waited for others, which are none of its own time."""
        with self._changed:
            since = self._waiting_since.get(thread or 0)
            waiting = 0.0 if since is None else time.monotonic() - since
            return self._waited.get(thread or 0, 0.0) + waiting

    def begin_call(self) -> None:
        """Count the waiting of this thread from here."""
        self._waited.pop(threading.get_ident(), None)

    def leave_behind(self, thread: int | None, what: str) -> None:
        """A thread ran out of time: if it has the lock, those who wait for it give up."""
        with self._changed:
            if thread is not None and self._holder == thread:
                self._stuck_in = what
                self._changed.notify_all()


process_lock = ProcessLock()
"""The one lock on the state of this process."""
