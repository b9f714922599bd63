"""`python -m grpo_env_sdk.checking.runner.worker_main FD`: run checks in a process that can be killed."""

import contextlib
import faulthandler
import json
import os
import resource
import signal
import sys
from typing import Any

from grpo_env_sdk.checking.evidence.processes.python_child import read_order
from grpo_env_sdk.isolation.processes.forked import DESCRIPTOR_CLOSED
from grpo_env_sdk.isolation.processes.process_tree import end_with_parent, go_on_in_child


class EventPipe:
    """Sends events to the parent: marked lines on a descriptor that environment code does not know."""

    def __init__(self, descriptor: int, mark: str) -> None:
        self._descriptor = descriptor
        self._mark = mark
        self._owner = os.getpid()

    def send(self, event: dict[str, Any]) -> None:
        """Write one event as a whole line; if the environment forked this process, the copy ends here."""
        forked = os.getpid() != self._owner
        sent = {"event": "forked"} if forked else event
        data = f"\n{self._mark}{json.dumps(sent)}\n".encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            os._exit(DESCRIPTOR_CLOSED)
        if forked:
            os._exit(0)


def main() -> None:
    """Read the order from stdin, limit this process, and run the checks."""
    order = read_order()
    if order["leaves"]:
        go_on_in_child()
    pipe = EventPipe(int(sys.argv[1]), order["mark"])
    _limit(order["memory"], order["cpu_seconds"])
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)

    from grpo_env_sdk.checking.runner.worker import Order, work

    work(Order.from_json(order["order"]), pipe.send, replaceable=True)
    pipe.send({"event": "done"})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # whatever threads the environment left


def _limit(memory: int, cpu_seconds: int) -> None:
    """Protect the machine: limit memory and processor time, and end this process with its parent."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)  # the parent asks for tracebacks before it kills
    with contextlib.suppress(ValueError, OSError):  # a limit below the one in force
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with_parent()


if __name__ == "__main__":
    main()
