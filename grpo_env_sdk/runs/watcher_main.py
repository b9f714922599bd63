"""`python -m grpo_env_sdk.runs.watcher_main PID LIVE SECONDS AGAIN [json]`: the other side of a `Watcher`.

Each `eval` and `train` starts it, so it imports what it says something with when it has something to say.
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


def main() -> None:
    """Read signs of life until they end, and say so where that was not in good order."""
    pid, live, most, again = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # of a scheduler that signals every process of a job
        signal.signal(number, signal.SIG_IGN)
    silent, told = 0.0, b"."
    while os.getppid() == pid:
        if select.select([0], [], [], _LOOK_SECONDS)[0]:
            told = os.read(0, 4096)
            if not told or told.endswith(b"q"):
                break
            silent = 0.0
            continue
        silent = 0.0 if _is_stopped(pid) else silent + _LOOK_SECONDS  # counted here, as machines stand still too
        if most and silent >= most and (rows := _rows_in(live)):
            _say(f"No Python ran in this process for {silent:g} s, so it was ended", rows, again)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            return
    if not told.endswith(b"q") and (rows := _rows_in(live)):
        _say("The process ended without a word", rows, again)


def _rows_in(live: str) -> "list[LiveRow]":
    from pathlib import Path

    from grpo_env_sdk.runs.live_rows import rows_in

    return rows_in(Path(live))


def _say(what: str, rows: "list[LiveRow]", again: str) -> None:
    import json

    from grpo_env_sdk.errors import EnvironmentFailedError
    from grpo_env_sdk.report.plain_text import printable
    from grpo_env_sdk.runs.live_rows import named_rows

    text = f"{what} while environment code worked on {named_rows(rows)}. Episodes that ended are saved."
    with suppress(OSError):  # the terminal has gone
        if sys.argv[5:] == ["json"]:
            print(json.dumps(EnvironmentFailedError(printable(text), printable(again)).as_json()), flush=True)
        else:
            print(printable(f"grpo-env: {text}\n{again}"), file=sys.stderr, flush=True)


def _is_stopped(pid: int) -> bool:
    """Whether somebody has stopped the process: Ctrl-Z, a debugger."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] in "Tt"
    return False


if __name__ == "__main__":
    main()
