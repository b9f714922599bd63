"""The failed episodes of a run, set aside so that they run again."""

import os

from grpo_env_sdk.runs.reading import EPISODES, SUMMARY, Run

FAILED = "failed.jsonl"


def move_failed(run: Run) -> None:
    """Move failed episodes to a file of their own."""
    temporary = run.folder / f".{EPISODES}.new"
    with temporary.open("wb") as kept, (run.folder / FAILED).open("ab") as aside:
        for line, episode in run.lines():
            (kept if episode.error is None else aside).write(line)
        for file in (aside, kept):
            file.flush()
            os.fsync(file.fileno())
    (run.folder / SUMMARY).unlink(missing_ok=True)
    os.replace(temporary, run.folder / EPISODES)
