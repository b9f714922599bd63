"""A small process beside this one: it ends this one where environment code holds the interpreter, and says so."""

import contextlib
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from grpo_env_sdk.isolation.processes.own_stdout import own_descriptor

_BEAT_SECONDS = 0.5
_ALIVE, _DONE = b"\xff", b"\xfe"
"""Smaller bytes are the numbers of signals, which `signal.set_wakeup_fd` sends."""
_MAIN = Path(__file__).parents[2] / "runs" / "watcher_main.py"
_RUN_PLACE, _SIZE = 1024, 16384
"""Where the call and the run are in the memory that both processes read."""


class WatchProcess:
    """Says what this process is at, in memory, and sends signs of life, until it is closed.

    Deadlines are kept by Python code, which does not run while environment code holds the interpreter. Nor does what
    answers Ctrl-C and SIGTERM, so their numbers are sent to the other process too, by C code of Python.
    """

    def __init__(self, as_json: bool = False, grace: float = 0.0, *, says_end: bool = True) -> None:
        """With `as_json` the other process says it as a command with `--json` does: an object on stdout.

        Without `says_end` it says nothing of an end that is not its own doing: somebody else does.
        """
        self._words = [*["json"] * as_json, *["ends-unsaid"] * (not says_end)]
        self._as_json, self._grace = as_json, grace
        self._over = threading.Event()
        self._memory: mmap.mmap | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1
        self._hears_signals = False

    def start(self, with_signals: bool = False) -> None:
        """Start the other process; where there can be no more processes or files, nobody watches."""
        with contextlib.suppress(OSError), tempfile.TemporaryFile() as file:
            file.write(bytes(_SIZE))
            file.flush()
            self._memory = mmap.mmap(file.fileno(), _SIZE)
            self._process, self._pipe = self._started(file)
            self._at = os.fstat(self._pipe)
            self._hears_signals = with_signals and threading.current_thread() is threading.main_thread()
            if self._hears_signals:
                signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)
            threading.Thread(target=self._beat, name="grpo-env signs of life", daemon=True).start()

    def note_call(self, what: str, seconds: float | None = None) -> None:
        """A call of environment code begins, which has so long; an empty text says that none runs."""
        if self._memory is not None:
            text = f"{seconds or 0:g} {what}".encode(errors="replace")[: _RUN_PLACE - 1] if what else b""
            self._memory[: len(text) + 1] = text + b"\0"

    def note_run(self, live: Path | None, seconds: float | None = None, again: str = "") -> None:
        """A run begins whose file of live rows this is, or, with None, it ends."""
        if self._memory is None or not self.has_pipe:
            return
        run = {"live": str(live), "seconds": seconds, "again": again} if live is not None else None
        text = json.dumps(run).encode()
        if len(text) < _SIZE - _RUN_PLACE:
            self._memory[_RUN_PLACE : _RUN_PLACE + len(text) + 1] = text + b"\0"

    @property
    def has_pipe(self) -> bool:
        """Whether environment code has left the pipe open; else its number may be a file of somebody else by now."""
        try:
            return os.path.samestat(os.fstat(self._pipe), self._at)
        except OSError:
            return False

    def close(self) -> None:
        """This process ends in good order, or is not to be watched any more."""
        self._over.set()
        self.note_call("")
        self.note_run(None)
        if self._process is None:
            return
        if not self.has_pipe:  # it sees the end of this process by itself
            self._process.returncode = 0  # which is not waited for
            return
        process, self._process = self._process, None
        if self._hears_signals:
            signal.set_wakeup_fd(-1)
        self._send(_DONE)
        os.close(self._pipe)
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _started(self, memory: IO[bytes]) -> tuple["subprocess.Popen[bytes]", int]:
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        words = [str(os.getpid()), str(memory.fileno()), f"{self._grace:g}", *self._words]
        try:
            process = subprocess.Popen(
                [sys.executable, "-S", "-P", str(_MAIN), *words], pass_fds=[memory.fileno()],
                stdin=theirs, stdout=own_descriptor() if self._as_json else subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return process, ours

    def _beat(self) -> None:
        while not self._over.wait(_BEAT_SECONDS):
            self._send(_ALIVE)

    def _send(self, sign: bytes) -> None:
        if self.has_pipe:
            with contextlib.suppress(OSError):  # the other process has ended
                os.write(self._pipe, sign)


def read_memory(memory: bytes) -> tuple[str, float, dict[str, Any] | None]:
    """The call that runs, how long it has (0 is without end), and the run, as the other process reads them."""
    seconds, _, what = _text(memory[:_RUN_PLACE]).partition(" ")
    run = json.loads(_text(memory[_RUN_PLACE:]) or "null")
    return what, float(seconds or 0), run


def _text(part: bytes) -> str:
    return part.partition(b"\0")[0].decode(errors="replace")
