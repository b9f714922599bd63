"""How a training goes on: the command that continues it, with as many processes, and what changes with other ones."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk import Run
from grpo_env_sdk.ext import RESUME_WITH, training_continued
from grpo_env_trl import ranks
from grpo_env_trl.launching.attached import is_attached
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.runs.whole_checkpoints import processes_of
from grpo_env_trl.settings import TrainSettings

_SHARDING = ("ACCELERATE_USE_DEEPSPEED", "ACCELERATE_USE_FSDP")


def command_to_continue(run: str | Path, settings: TrainSettings) -> str:
    """The command that goes on with the run that this process trains."""
    return training_continued(run, resume_flags(settings))


def resume_flags(settings: TrainSettings) -> dict[str, Any]:
    """The flags that the command needs beside the run; with `--num-processes` also where another launcher began it."""
    asked = settings.resume_with
    together = ranks.started_together()
    if "num_processes" in asked or together == 1 or is_attached() or not _is_plain_launch(together):
        return asked
    return {"num_processes": together, **asked}


def processes_before(run: Run) -> int | None:
    """How many processes wrote the checkpoint to go on from, or began the run; None where it does not say."""
    _, checkpoint = RunFolder(run.path).newest_whole()
    at_first: int | None = run.manifest.get(RESUME_WITH, {}).get("num_processes")
    return processes_of(checkpoint) if checkpoint else at_first


def note_other_processes(before: int | None, size: int | None) -> Iterator[str]:
    """What changes where other than `before` processes go on; `size` is their batch, None where it is fixed."""
    now = ranks.started_together()
    if not before or before == now:
        return
    batch = "" if size is None else f"a batch has {size} completions, not {size * before // now}, and "
    yield (
        f"{before} process{'es' * (before != 1)} trained this run, and {now} go{'es' * (now == 1)} on: "
        f"{batch}random numbers begin anew. As before: --num-processes {before}"
    )


def _is_plain_launch(together: int) -> bool:
    """Whether `--num-processes` can take a launcher's place: on one machine, with a whole model in each process."""
    here = os.environ.get("LOCAL_WORLD_SIZE") == str(together)
    return here and not any(os.environ.get(name) == "true" for name in _SHARDING)
