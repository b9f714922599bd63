"""Commands in processes of their own, quickly: each is forked from one that has imported the large libraries.

The code of this repository is imported anew in each, as in a process that a user starts.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARIES = ("aiohttp", "datasets", "jsonschema", "pytest", "rich.console", "yaml")


class ForkServer:
    """A process that forks for every command; close it."""

    def __init__(self, environment):
        self._socket, its = socket.socketpair()
        words = [sys.executable, __file__, str(its.fileno())]
        self._process = subprocess.Popen(words, pass_fds=[its.fileno()], env=environment, cwd=ROOT)
        its.close()
        self._answers = self._socket.makefile("r")

    def close(self):
        """End the process."""
        self._answers.close()
        self._socket.close()
        self._process.wait(30)

    def run(self, module, *arguments, cwd, environment, stdin="", timeout=120):
        """What `python -m MODULE ARGUMENTS` did: exit code, stdout and stderr."""
        with ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3)]
            files[0].write(stdin)
            files[0].seek(0)
            order = {"module": module, "arguments": arguments, "cwd": str(cwd), "environment": environment}
            socket.send_fds(self._socket, [json.dumps(order).encode()], [file.fileno() for file in files])
            pid = int(self._answers.readline())
            if not select.select([self._socket], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
            code = int(self._answers.readline())
            assert code != -signal.SIGKILL, f"{arguments} did not end within {timeout} s"
            for file in files:
                file.seek(0)
            return subprocess.CompletedProcess([module, *arguments], code, files[1].read(), files[2].read())


def _serve(connection, path):
    """Fork for each order and answer with its exit code; returns the order in the process that is to follow it."""
    while True:
        data, descriptors, *_ = socket.recv_fds(connection, 1 << 20, 3)
        if not data:
            return None
        pid = os.fork()
        if pid == 0:
            for place, descriptor in enumerate(descriptors):
                os.dup2(descriptor, place)
                os.close(descriptor)
            return _enter(json.loads(data), path)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _enter(order, path):
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["cwd"])
    sys.path[:] = [order["cwd"], *order["environment"]["PYTHONPATH"].split(os.pathsep), *path]
    sys.argv[1:] = order["arguments"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return order


def _follow(order):
    """Run the module to its end, and leave without taking every imported library apart."""
    try:
        runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


def _main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = {str(Path(__file__).parent), *os.environ["PYTHONPATH"].split(os.pathsep)}
    path = [item for item in sys.path if item not in before]
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # or collecting in one process copies what all share
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        order = _serve(connection, path)
    if order is not None:
        _follow(order)


if __name__ == "__main__":
    _main()
