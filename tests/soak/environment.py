"""An environment of which 10% of the rows fail, 2% hang and 1% end their process; what happens is known by row."""

import ctypes
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from grpo_env_sdk import MultiTurnEnv, reward

PLANTED = {
    "good": (696, "terminated"),
    "raises in setup": (20, "env_error RuntimeError in reset"),
    "raises in step": (20, "env_error LookupError in step"),
    "raises in score": (20, "env_error ZeroDivisionError in score"),
    "exits Python": (10, "env_error SystemExit in step"),
    "interrupts": (10, "env_error KeyboardInterrupt in step"),
    "sleeps": (10, "timeout DeadlineError in step"),
    "waits for an event": (4, "timeout DeadlineError in score"),
    "loops": (1, "timeout DeadlineError in step"),
    "holds the interpreter": (1, "timeout DeadlineError in step"),
    "crashes": (2, "env_error ProcessEndedError in step"),
    "ends its process": (2, "env_error ProcessEndedError in step"),
    "is killed": (2, "env_error ProcessEndedError in score"),
    "takes all memory": (2, "env_error MemoryError in step"),
}
"""What a row does: how many of 800 rows, and how its episode ends."""
KINDS = [kind for kind, (count, _) in PLANTED.items() for _ in range(count)]
random.Random(15).shuffle(KINDS)
ENV_MEMORY = 0.6


class Rough(MultiTurnEnv):
    """Say two words."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say two words, {row}.", "kind": kind} for row, kind in enumerate(KINDS)]

    def setup(self, row):
        self.kind, self.turns = row["kind"], 0
        if self.kind != "good":
            tempfile.mkstemp()  # never closed, never removed
        if self.kind == "raises in setup":
            raise RuntimeError("planted")

    def step(self, action):
        self.turns += 1
        if self.turns == 2:
            _do(self.kind)
        return "Go on.", 0.0, self.turns == 2, False, {}

    @reward
    def spoken(self):
        if self.kind == "raises in score":
            return 1 / 0
        if self.kind == "waits for an event":
            threading.Event().wait()
        if self.kind == "is killed":
            _leave_a_process()
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0


def _do(kind):
    if kind == "raises in step":
        raise LookupError("planted")
    if kind == "exits Python":
        sys.exit(3)
    if kind == "interrupts":
        raise KeyboardInterrupt
    if kind == "sleeps":
        _leave_a_process()
        time.sleep(1e6)
    while kind == "loops":
        pass
    if kind == "holds the interpreter":
        re.match(r"(a|aa)+$", "a" * 60 + "b")
    if kind == "crashes":
        ctypes.string_at(0)
    if kind == "ends its process":
        _leave_a_process()
        os._exit(7)
    if kind == "takes all memory":
        taken = []
        while True:
            taken.append(bytearray(1 << 26))


def _leave_a_process():
    subprocess.Popen(["sleep", "100000"], start_new_session=True)
