"""How far a training is, and what it reached on held-out rows: its episodes on disk are samples, which say neither."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.runs.continuing import RESUME_WITH
from grpo_env_sdk.runs.reading import Run, RunError
from grpo_env_sdk.runs.record_shapes import open_regular, parsed

METRICS = "metrics.jsonl"
"""A line for each logged step."""
_LONGEST_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The steps of a training, and its held-out rewards."""

    steps: int
    of: int | None
    """How many steps it was to have when it was begun or last resumed; None where it counts epochs."""
    finished: bool
    heldout: Mapping[str, Any]
    """The held-out rewards `before` and `after`, as far as they were measured."""
    seconds: float | None
    """How long it took; None until it is finished."""

    def as_json(self) -> dict[str, Any]:
        """As the JSON output has it."""
        heldout = self.heldout or None
        return {
            "steps": self.steps, "of": self.of, "finished": self.finished, "heldout": heldout, "seconds": self.seconds,
        }  # fmt: skip


def progress_of(run: Run) -> TrainingProgress | None:
    """How far a training is; None for a run that is no training."""
    if "training" not in run.manifest:
        return None
    kept = run.summary() or {}
    asked = run.manifest.get(RESUME_WITH, {}).get("max_steps") or run.manifest["training"].get("max_steps")
    steps = kept["steps"] if "steps" in kept else _last_step(run.path / METRICS)
    of = asked if isinstance(asked, int) and asked > 0 else None
    seconds = kept.get("seconds")
    seconds = seconds if isinstance(seconds, int | float) else None
    return TrainingProgress(steps, of, bool(kept.get("finished")), kept.get("heldout") or {}, seconds)


def _last_step(path: Path) -> int:
    """The step of the last complete line; 0 where nothing was logged."""
    if not os.path.lexists(path):
        return 0
    try:
        with open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LONGEST_LINE))
            lines = [line for line in file if line.endswith(b"}\n")]
        step = parsed(lines[-1])["step"] if lines else 0
        if type(step) is int:
            return step
        raise ValueError(f"its last step is {step!r:.40}")
    except (OSError, ValueError, LookupError, TypeError) as exc:
        raise RunError(f"{path} cannot be read: {exc!s:.200}.", "Restore or remove it.") from exc
