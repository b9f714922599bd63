"""SIGTERM and SIGHUP as Ctrl-C, and how to go on after either: outside the steps, where a training stops at once."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import MANIFEST, command_line, ending_signals, note_hangup, print_json, say
from grpo_env_trl import ranks
from grpo_env_trl.setup.preparing import TrainingSetup


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """SIGTERM of schedulers and SIGHUP of terminals are Ctrl-C while this lasts; further ones disturb nothing."""
    in_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in ending_signals() if in_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    note_hangup(number)
    for each in ending_signals()[1:]:
        signal.signal(each, _ignore)
    raise KeyboardInterrupt


def _ignore(number: int, frame: FrameType | None) -> None:
    """Nothing: unlike SIG_IGN, no process that is started takes this over."""


@contextmanager
def says_how_to_go_on(setup: TrainingSetup) -> Iterator[None]:
    """Name the command that continues, where a training is interrupted that has a run by then."""
    try:
        yield
    except KeyboardInterrupt:
        run = setup.folder
        if ranks.is_first() and (run / MANIFEST).is_file() and open_run(run).summary() is None:
            again = command_line("train", "--resume", run) + setup.settings.launch_flags
            say(f"Continue with:\n  {again}", file=sys.stderr, flush=True)
            if setup.settings.json:
                print_json({"run": str(run), "finished": False})
        raise
