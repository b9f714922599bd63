"""`python -m grpo_env_sdk.checking.runner.worker_main FD`: the checks of an order, in a process that may be killed."""

import contextlib
import faulthandler
import json
import os
import resource
import signal
import sys
from typing import Any

PDEATHSIG = 1
"""prctl's option: what the kernel sends to this process when its parent is gone."""
CUT_OFF = 97
"""The exit code of a process whose way back to the parent was closed."""


class Line:
    """The way back to the parent: marked lines on a descriptor that environment code does not know of."""

    def __init__(self, descriptor: int, mark: str) -> None:
        self._descriptor = descriptor
        self._mark = mark
        self._owner = os.getpid()

    def send(self, event: dict[str, Any]) -> None:
        """Write one event as a whole line; a copy of this process, forked by the environment, ends here."""
        forked = os.getpid() != self._owner
        told = {"event": "forked"} if forked else event
        data = f"\n{self._mark}{json.dumps(told)}\n".encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            os._exit(CUT_OFF)
        if forked:
            os._exit(0)


def main() -> None:
    """Read the order from stdin, limit this process, and do the work."""
    order = json.loads(sys.stdin.buffer.readline())
    line = Line(int(sys.argv[1]), order["mark"])
    _limit(order["memory"], order["cpu_seconds"])
    sys.path[:] = order["sys_path"]
    os.chdir(order["folder"])
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)

    from grpo_env_sdk.checking.runner.worker import Order, work

    work(Order.from_json(order["order"]), line.send, replaceable=True)
    line.send({"event": "done"})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # whatever threads the environment left


def _limit(memory: int, cpu_seconds: int) -> None:
    """Leave no way to take the machine down: memory, processor time, and an end with the parent's."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)  # what the parent asks before it kills: where are you?
    with contextlib.suppress(ValueError, OSError):  # a limit below what is already in force
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
