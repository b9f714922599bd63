"""Checks that the run folder can be written and that the checkpoints fit on the disk."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import RunError, check_free
from grpo_env_trl import ranks
from grpo_env_trl.preflight.memory import needs_of, size
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

KEPT_WITHOUT_LIMIT = 5
"""The number of checkpoints to plan for where none is ever deleted."""


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Problems of the run folder and of its disk."""
    setup = planned.setup
    folder = setup.folder
    ours = setup.settings.resume or not ranks.is_first()  # the first process may have begun it
    wrong = ([] if ours else [*taken_folder(folder)]) or [*unwritable(folder)]
    yield from wrong
    needs = None if setup.demo or wrong else needs_of(planned)
    if needs is not None:
        free = shutil.disk_usage(_existing(folder)).free
        yield from too_full(folder, free, needs.checkpoint, needs.saved, checkpoints_of(setup.args))


def taken_folder(folder: Path) -> Iterator[Problem]:
    """A folder that is not empty."""
    try:
        check_free(folder)
    except RunError as exc:
        yield Problem(exc.message, exc.hint)


def unwritable(folder: Path) -> Iterator[Problem]:
    """A folder that cannot be written; the test file is removed."""
    parent = _existing(folder / "checkpoints")
    try:
        with tempfile.TemporaryFile(dir=parent) as file:
            file.write(b"-")
    except OSError as exc:
        yield Problem(f"{str(parent)!r} cannot be written: {exc.strerror}.", "Use another --out.")


def too_full(folder: Path, free: int, checkpoint: float, model: float, count: int) -> Iterator[Problem]:
    """A disk without space for one checkpoint and the model, or for all that are kept."""
    whole = checkpoint * count + model
    if whole <= free:
        return
    one_fits = checkpoint + model <= free
    what = f"{count} checkpoint{'s'[: count > 1]} of {size(checkpoint)}" if count else "The trained model"
    also = f" and the model of {size(model)}" if count else f" of {size(model)}"
    ways = "--save-total-limit 1, --save-only-model, --peft, or --out on another disk"
    yield Problem(
        f"{what}{also} do not fit on the disk of {str(folder)!r}, which has {size(free)} free.",
        f"Free some space, or use {ways}.",
        fatal=not one_fits,
    )


def checkpoints_of(args: Any) -> int:
    """How many checkpoints are on the disk at once: those kept, and the new one before an old one is deleted."""
    strategy = str(getattr(args.save_strategy, "value", args.save_strategy))
    if strategy == "no":
        return 0
    most = args.save_total_limit + 1 if args.save_total_limit else KEPT_WITHOUT_LIMIT
    if strategy == "steps" and args.max_steps > 0 and args.save_steps >= 1:
        most = min(most, max(1, -(-args.max_steps // int(args.save_steps))))
    return int(most)


def _existing(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
