"""Watches a run: another process says which rows were live when it dies, and ends one in which nothing moves."""

from pathlib import Path
from types import TracebackType

from grpo_env_sdk.isolation.calls.command_process import GRACE_SECONDS, watch_of_command, watched
from grpo_env_sdk.isolation.calls.watch_process import WatchProcess


class Watcher:
    """Watches this process while it is entered, with the process that a command has for that where it has one.

    Deadlines are kept by Python code, which does not run while environment code holds the interpreter. So a thread
    sends signs of life to another process. That one ends this process where none comes for longer than `seconds`, the
    deadline of a call, and environment code is at work; None is no deadline. It also says so where this process ends by
    itself. `again` is what to do then; where it is empty, whoever started this process says that it ended, and how to
    go on. With `as_json` it says so as a command with `--json` does: an object on stdout.
    """

    def __init__(
        self, live: Path, seconds: float | None, again: str, as_json: bool = False, grace: float = GRACE_SECONDS
    ) -> None:
        self._live, self._seconds, self._again = live, seconds, again
        self._of_command = watch_of_command()
        self._process = self._of_command or WatchProcess(as_json, grace)

    def __enter__(self) -> None:
        if not self._of_command:
            self._process.start()
        self._process.note_run(self._live, self._seconds, self._again)
        watched.append(self._live)

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        watched.clear()
        self._process.note_run(None)
        if not self._of_command:
            self._process.close()
