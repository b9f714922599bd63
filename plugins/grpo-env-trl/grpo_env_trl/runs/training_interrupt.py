"""Ctrl-C in a program that trains."""

from pathlib import Path

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import MANIFEST
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.run_folder import RunFolder

NOTHING_KEPT = "Nothing was kept: the first step had not begun."


class TrainingInterrupt(KeyboardInterrupt):
    """Ctrl-C in a program: says what is kept of its training, which `training` has where it came to an orderly end."""

    def __init__(self, run: Path, training: TrainingRun | None = None) -> None:
        super().__init__(_kept(run))
        self.training = training


def _kept(run: Path) -> str:
    if not (run / MANIFEST).is_file():
        return NOTHING_KEPT
    if open_run(run).summary() is not None:
        return f"The training in {run} is finished."
    step, _ = RunFolder(run).newest_whole()
    return f"The training stopped at step {step}, which is saved; train(..., resume={str(run)!r}) goes on."
