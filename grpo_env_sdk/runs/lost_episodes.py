"""Whether a run still has the episodes that its summary is about: a full disk or an interrupted copy cuts the file."""

import os
from collections.abc import Iterator
from functools import partial

from grpo_env_sdk.runs.changed_episodes import unchanged_summary
from grpo_env_sdk.runs.reading import EPISODES, SUMMARY, Run
from grpo_env_sdk.runs.record_shapes import open_regular
from grpo_env_sdk.runs.running import is_running

_CHUNK = 1 << 20


def lost_episodes(run: Run, if_changed: bool = False) -> int:
    """How many episodes of its summary a finished evaluation has no more.

    With `if_changed`, a file that is older than the summary is not read: of many runs that would take long.
    """
    path, episodes = run.path / EPISODES, int((unchanged_summary(run) or {}).get("episodes", 0))
    try:
        finished = os.stat(run.path / SUMMARY).st_mtime
        if "training" in run.manifest or (if_changed and os.stat(path).st_mtime <= finished) or is_running(run.path):
            return 0
        with open_regular(path) as file:
            chunks: Iterator[bytes] = iter(partial(file.read, _CHUNK), b"")
            kept = sum(chunk.count(b"\n") for chunk in chunks)
    except FileNotFoundError as exc:
        return episodes if exc.filename == str(path) else 0
    except (OSError, ValueError):  # which reading the episodes reports
        return 0
    return max(0, episodes - kept)
