"""An environment that ends badly in one of the processes that train."""

import ctypes
import os
import resource
import signal
import time
import warnings
from pathlib import Path

import torch
from environments import rows

from grpo_env_sdk import GrpoEnvWarning, SingleTurnEnv, reward


class Ends(SingleTurnEnv):
    """Scores by length; with `when` there and `after` episodes scored, the process of this rank (-1: any) ends."""

    scored = 0

    def __init__(self, how="killed", rank=1, after=16, when="."):
        self.how, self.rank, self.after, self.when = how, rank, after, Path(when)

    def build_dataset(self, tokenizer):
        file = Path(f"pid-{os.environ.get('RANK')}")
        if not file.exists():  # after a call that hangs it is built again, and may be killed meanwhile
            file.write_text(str(os.getpid()))
        if self.how == "killed early" and self.is_here():
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "other rows" and self.is_here():
            return rows(40)[::-1]
        return rows(40)

    @reward
    def length(self, completion):
        Ends.scored += 1
        if Ends.scored > self.after and self.is_here() and self.when.exists():
            first = not Path("here").exists()
            Path("here").touch()
            self.end(first)
        return len(completion) % 7 / 7

    def is_here(self):
        return self.rank in (int(os.environ["RANK"]), -1)

    def end(self, first):
        """End as asked; what leaves something to resume happens once, and not in the resumed training too."""
        if self.how == "warns":
            warnings.warn("the judge is tired", GrpoEnvWarning, stacklevel=2)
        if self.how == "frozen" and first:
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "hangs":
            time.sleep(3600)
        if self.how == "holds the interpreter":
            ctypes.PyDLL(None).sleep(3600)
        if self.how == "fails":
            raise ConnectionError("the judge has gone home")
        if self.how == "full disk" and first:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        if self.how == "killed saving" and first:
            torch.save = half_saved


def half_saved(what, file, *args, **kwargs):
    """Begin to write a file, and be killed."""
    Path(file).write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
