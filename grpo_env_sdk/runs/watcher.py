"""A small process beside a run: it says which rows were live when the run dies, and ends one in which nothing moves."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

from grpo_env_sdk.isolation.calls.command_process import watched
from grpo_env_sdk.isolation.processes.own_stdout import own_descriptor

_BEAT_SECONDS = 0.5
GRACE_SECONDS = 20.0
"""How much longer than the deadline of a call no Python may run before the process is ended."""


class Watcher:
    """Watches this process while it is entered.

    Deadlines are kept by Python code, which does not run while environment code holds the interpreter. So a thread
    sends signs of life to another process. That one ends this process where none comes for longer than `seconds`, the
    deadline of a call, and environment code is at work; None is no deadline. It also says so where this process ends by
    itself. `again` is what to do then. With `as_json` it says so as a command with `--json` does: an object on stdout.
    """

    def __init__(
        self, live: Path, seconds: float | None, again: str, as_json: bool = False, grace: float = GRACE_SECONDS
    ) -> None:
        most = 0.0 if seconds is None else seconds + grace
        self._words = [str(os.getpid()), str(live), f"{most:g}", again, *["json"] * as_json]
        self._as_json = as_json
        self._over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> None:
        with contextlib.suppress(OSError):  # no more processes: nobody watches
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "grpo_env_sdk.runs.watcher_main", *self._words],
                stdin=subprocess.PIPE, stdout=own_descriptor() if self._as_json else subprocess.DEVNULL,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
            watched.append(self._process.pid)
            threading.Thread(target=self._beat, name="grpo-env signs of life", daemon=True).start()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        watched.clear()
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.write(b"q")
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _beat(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while not self._over.wait(_BEAT_SECONDS):
                process.stdin.write(b".")
