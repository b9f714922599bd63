"""`python watcher_main.py PID MEMORY GRACE [json] [ends-unsaid]`: the other side of a `WatchProcess`.

Most commands with an environment start it, without `site` to be quick: it imports what it says something with when it
has something to say.
"""

import os
import select
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_env_sdk.runs.live_rows import LiveRow

_LOOK_SECONDS = 1.0
_AFTER_SIGNAL_SECONDS = 5.0
"""How long no Python may run after Ctrl-C or SIGTERM while environment code works; longer where it ran once more."""
_DEAF_SECONDS = 0.1
_DONE = b"\xfe"
_ENDING = {bytes([number]) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
_HINT = "With --env-pool process, `eval`, `rescore` and `train` end such code in time."


class WatchedProcess:
    """The process beside this one, as far as signs of life and its memory tell."""

    def __init__(self, pid: int, memory: int, grace: float) -> None:
        self._pid, self._memory, self._grace = pid, memory, grace
        self._silent = 0.0
        self._asked = self._was_asked = self._done = self._deaf = False

    def watch(self) -> None:
        """Read signs of life until they end, and say so where that was not in good order."""
        while os.getppid() == self._pid and not self._done:
            if self._deaf:
                select.select([], [], [], _DEAF_SECONDS)
            elif select.select([0], [], [], _LOOK_SECONDS)[0]:
                self._hear(os.read(0, 4096))
            elif self._ends():
                return
        if "ends-unsaid" in sys.argv or self._done or self._was_asked:
            return
        if (at := self._at()) and at[2]:
            _say("The process ended without a word", *at[1:])

    def _hear(self, told: bytes) -> None:
        self._done = _DONE in told
        self._deaf = not told  # it has ended, or environment code has closed the pipe
        self._asked = told[-1:] in _ENDING  # and not answered by a sign of life
        self._was_asked |= any(bytes([each]) in _ENDING for each in told)
        self._silent = 0.0

    def _ends(self) -> bool:
        """End the process where it is silent for too long while environment code works."""
        self._silent = 0.0 if _is_stopped(self._pid) else self._silent + _LOOK_SECONDS  # machines stand still too
        if self._silent < (_AFTER_SIGNAL_SECONDS if self._asked else self._grace) or not (at := self._at()):
            return False
        seconds, where, again = at
        if self._was_asked:  # also where it took it in before it was held
            _say("Interrupted. No Python ran in this process, so it was ended", where, again)
        elif seconds and self._silent >= seconds + self._grace:
            _say(f"No Python ran in this process for {self._silent:g} s, so it was ended", where, again)
        else:
            return False
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        return True

    def _at(self) -> tuple[float, str, str] | None:
        """How long environment code has, what of it works, and what to do then; None while none works.

        What to do is empty where whoever started the process says that it ended, and how to go on.
        """
        _import_packages()
        from grpo_env_sdk.isolation.calls.watch_process import read_memory
        from grpo_env_sdk.runs.live_rows import named_rows

        what, seconds, run = read_memory(os.pread(self._memory, 1 << 20, 0))
        if run and (rows := _rows_in(run["live"])):
            saved = " Episodes that ended are saved." if run["again"] else ""
            return run["seconds"] or 0.0, f"worked on {named_rows(rows)}.{saved}", run["again"]
        return (seconds, f"was at work: {what}.", _HINT) if what else None


def main() -> None:
    """Watch the process that has started this one."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # of a scheduler that signals every process of a job
        signal.signal(number, signal.SIG_IGN)
    WatchedProcess(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])).watch()


def _import_packages() -> None:
    """Make installed packages importable, as without `-S`."""
    if "site" not in sys.modules:
        import site

        site.main()


def _rows_in(live: str) -> "list[LiveRow]":
    from pathlib import Path

    from grpo_env_sdk.runs.live_rows import rows_in

    return rows_in(Path(live))


def _say(what: str, where: str, again: str) -> None:
    import json

    from grpo_env_sdk.errors import EnvironmentFailedError
    from grpo_env_sdk.plain_text import printable

    text = f"{what} while environment code {where}"
    with suppress(OSError):  # the terminal has gone
        if "json" in sys.argv[4:]:
            print(json.dumps(EnvironmentFailedError(printable(text), printable(again)).as_json()), flush=True)
        else:
            print(printable(f"grpo-env: {text}\n{again}".rstrip()), file=sys.stderr, flush=True)


def _is_stopped(pid: int) -> bool:
    """Whether somebody has stopped the process: Ctrl-Z, a debugger."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] in "Tt"
    return False


if __name__ == "__main__":
    main()
