"""A process that `--num-processes` started: it ends with the command that started it, and tells it the run."""

import os
import signal
import socket
import threading
from pathlib import Path

VARIABLE = "GRPO_ENV_LAUNCHER"
"""The number of the socket to the command that started this process."""
_line: list[socket.socket] = []


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
    threading.Thread(target=_end_with, args=(line,), daemon=True, name="launcher").start()


def say_run(folder: Path) -> None:
    """Tell the command which run is written."""
    if _line:
        _line[0].sendall(os.fsencode(folder) + b"\0")


def _end_with(line: socket.socket) -> None:
    try:
        while line.recv(1):
            pass
    except OSError:
        pass
    os.killpg(os.getpid(), signal.SIGKILL)
