"""A process that `--num-processes` started: it ends with the command that started it, and tells it the run."""

import os
import signal
import socket
import threading
from pathlib import Path

from grpo_env_sdk.ext import end_is_reported

VARIABLE = "GRPO_ENV_LAUNCHER"
"""The number of the socket to the command that started this process."""
AGAIN = b"!"
"""What the command sends for every Ctrl-C but the first."""
_line: list[socket.socket] = []
_again: list[bytes] = []


def is_attached() -> bool:
    """Whether `--num-processes` started this process."""
    return bool(_line) or VARIABLE in os.environ


def attach() -> None:
    """From now on this process ends, with those that it started, once the command is gone."""
    number = os.environ.pop(VARIABLE, None)
    if number is None:
        return
    line = socket.socket(fileno=int(number))
    line.set_inheritable(False)
    _line.append(line)
    end_is_reported()
    threading.Thread(target=_end_with, args=(line,), daemon=True, name="launcher").start()


def is_a_copy() -> bool:
    """Whether another Ctrl-C is the first once more: Slurm sends each to every process, and the command hands it on."""
    return bool(_line) and not _again


def say_run(folder: Path) -> None:
    """Tell the command which run is written."""
    if _line:
        _line[0].sendall(os.fsencode(folder) + b"\0")


def _end_with(line: socket.socket) -> None:
    try:
        while sent := line.recv(1):
            _again.append(sent)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    except OSError:
        pass
    os.killpg(os.getpid(), signal.SIGKILL)
