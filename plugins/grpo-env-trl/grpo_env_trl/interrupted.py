"""How to go on after Ctrl-C outside the steps, where a training stops at once, or that nothing was kept."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import MANIFEST, print_json, say
from grpo_env_trl import ranks
from grpo_env_trl.continuing import command_to_continue
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.setup.preparing import TrainingSetup

_NOTHING = "Nothing was kept: the first step had not begun."


class TrainingInterrupt(KeyboardInterrupt):
    """Ctrl-C in a program: says what is kept of its training, which `training` has where it came to an orderly end."""

    def __init__(self, run: Path, training: TrainingRun | None = None) -> None:
        super().__init__(_kept(run))
        self.training = training


def _kept(run: Path) -> str:
    if not (run / MANIFEST).is_file():
        return _NOTHING
    if open_run(run).summary() is not None:
        return f"The training in {run} is finished."
    step, _ = RunFolder(run).newest_whole()
    return f"The training stopped at step {step}, which is saved; train(..., resume={str(run)!r}) goes on."


@contextmanager
def says_how_to_go_on(setup: TrainingSetup) -> Iterator[None]:
    """Name the command that continues, where a training is interrupted that has a run by then."""
    try:
        yield
    except KeyboardInterrupt:
        run = setup.folder
        if ranks.is_first() and not (run / MANIFEST).is_file():
            say(_NOTHING, file=sys.stderr, flush=True)
        elif ranks.is_first() and open_run(run).summary() is None:
            again = command_to_continue(run, setup.settings)
            say(f"Continue with:\n  {again}", file=sys.stderr, flush=True)
            if setup.settings.json:
                print_json({"run": str(run), "finished": False})
        raise
