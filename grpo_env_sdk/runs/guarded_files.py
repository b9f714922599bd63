"""The folder of a run while it is written: one process at a time, and one line where the disk refuses."""

import errno
import fcntl
import os
import stat
import time
import weakref
from pathlib import Path
from typing import Any

from grpo_env_sdk.files.path_errors import next_step, ran_out_of_files, short_path
from grpo_env_sdk.isolation.calls.command_process import in_folder_of_command
from grpo_env_sdk.runs.reading import RunError

LOCK = ".lock"
_LOOKS, _PAUSE = 4, 0.02
"""How often to try, and the seconds between: whoever only asks whether a run is written has its lock for an instant."""
_locks: "weakref.WeakSet[Any]" = weakref.WeakSet()
"""The locks that this process holds."""
GO_ON = "Earlier episodes are complete. {} and --resume{}."
NOT_BEGUN = "{}{}."
"""Of a new run, of which nothing has been played."""


def guarded(folder: Path, work: Any, hint: str = GO_ON) -> Any:
    """What writes to a run's folder, with one line that says what to do where that fails."""
    try:
        return work()
    except RunError:  # says already what is wrong
        raise
    except OSError as exc:
        reason, full = exc.strerror or str(exc), exc.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        first = "Free some space" if full else "Make it a folder that you can write"
        steps = (first, ", or take another --out")
        if ran_out_of_files(exc):
            steps = (next_step(exc).rstrip("."), "")
        raise RunError(f"{short_path(folder)} cannot be written: {reason}.", hint.format(*steps)) from exc


def lock_run(folder: Path) -> Any:
    """The lock of a run, which one process may hold; a `RunError` while another one does."""
    file = guarded(folder, lambda: _opened(folder / LOCK, in_folder_of_command(folder) / LOCK))
    for left in reversed(range(_LOOKS)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as exc:
            if left:
                time.sleep(_PAUSE)
                continue
            file.close()
            hint = "Wait until it ends, or stop it."
            raise RunError(f"Another process is writing to {str(folder)!r}.", hint) from exc
    _locks.add(file)
    return file


def _opened(lock: Path, there: Path) -> Any:
    """The file of a lock, which nobody may have made a link, or a pipe that is waited for."""
    if os.path.lexists(there) and not stat.S_ISREG(there.lstat().st_mode):
        raise RunError(f"{str(lock)!r} is not a file.", "Remove it.")
    return os.fdopen(os.open(there, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644), "w")


def _leave_locks_to_parent() -> None:
    """A forked child that outlives its parent would keep the runs of the parent locked."""
    for file in list(_locks):
        file.close()


os.register_at_fork(after_in_child=_leave_locks_to_parent)
