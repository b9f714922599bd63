"""Whether a run is being written at this moment: what is missing in it then comes by itself."""

import fcntl
from pathlib import Path

from grpo_env_sdk.runs.guarded_files import LOCK
from grpo_env_sdk.runs.record_shapes import open_regular


def is_running(folder: Path) -> bool:
    """Whether a living process writes to a run; False where nobody can tell."""
    try:
        with open_regular(folder / LOCK) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # let go at once: see `lock_run`
    except BlockingIOError:
        return True
    except (OSError, ValueError):
        return False
    return False
