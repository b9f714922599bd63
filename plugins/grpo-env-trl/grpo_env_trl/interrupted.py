"""How to go on after Ctrl-C outside the steps, where a training stops at once, or that nothing was kept."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import MANIFEST, print_json, say
from grpo_env_trl import ranks
from grpo_env_trl.continuing import command_to_continue
from grpo_env_trl.runs.training_interrupt import NOTHING_KEPT
from grpo_env_trl.setup.preparing import TrainingSetup


@contextmanager
def says_how_to_go_on(setup: TrainingSetup) -> Iterator[None]:
    """Name the command that continues, where a training is interrupted that has a run by then."""
    try:
        yield
    except KeyboardInterrupt:
        run = setup.folder
        if ranks.is_first() and not (run / MANIFEST).is_file():
            say(NOTHING_KEPT, file=sys.stderr, flush=True)
        elif ranks.is_first() and open_run(run).summary() is None:
            again = command_to_continue(run, setup.settings)
            say(f"Continue with:\n  {again}", file=sys.stderr, flush=True)
            if setup.settings.json:
                print_json({"run": str(run), "finished": False, "resume_command": again})
        raise
