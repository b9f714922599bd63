"""Threads for `asyncio.to_thread` that never hold the end of the process."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class DaemonExecutor(ThreadPoolExecutor):
    """A thread for each call: Python waits at its end for those of a usual executor, however long they take."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Begin a call in a thread of its own."""
        future: Future[Any] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as exc:  # as an executor does
                future.set_exception(exc)

        threading.Thread(target=run, name="grpo-env to_thread", daemon=True).start()
        return future
