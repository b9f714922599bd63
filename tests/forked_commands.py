"""Commands in processes of their own, quickly: each is forked from one that has imported what all commands import.

Another module than the package itself, such as pytest, imports the package anew.
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
import warnings
from contextlib import ExitStack, suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "grpo_env_sdk"
LEAVE = os._exit
"""What a command keeps its environment from calling."""
LIBRARIES = ("aiohttp", "datasets", "gymnasium", "jsonschema", "pytest", "rich.console", "yaml")


def user_environment(**more):
    """What a process of a user has: nothing of these tests but where the code is."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "COVERAGE", "COV_"))}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return kept | {"PYTHONPATH": path, "PYTHONWARNINGS": "error", **more}


class Answers:
    """The numbers that a server sends, a line each.

    Nothing is read ahead: a command may end before its process id is read, and `select` sees only what is not read.
    """

    def __init__(self, connection):
        self._connection = connection
        self._lines = connection.makefile("rb", buffering=0)

    def next(self, seconds=None):
        """The next number; None where it takes longer."""
        return int(self._lines.readline()) if select.select([self._connection], [], [], seconds)[0] else None

    def close(self):
        """Read no more."""
        self._lines.close()


class ForkServer:
    """A process that forks for every command; close it."""

    def __init__(self):
        self._socket, its = socket.socketpair()
        words = [sys.executable, __file__, str(its.fileno())]
        self._process = subprocess.Popen(words, pass_fds=[its.fileno()], env=user_environment(), cwd=ROOT)
        its.close()
        self._answers = Answers(self._socket)
        self._last = None

    def close(self):
        """End the process."""
        self._answers.close()
        self._socket.close()
        self._process.wait(30)

    def start(self, module, *arguments, cwd, environment, stdin=""):
        """`python -m MODULE ARGUMENTS`, under way; one that a failed test has left is ended."""
        if self._last:
            self._last.kill()
            self._last.poll(30)
        files = [tempfile.TemporaryFile("w+") for _ in range(3)]  # noqa: SIM115  # closed by whoever reads them
        files[0].write(stdin)
        files[0].seek(0)
        order = {"module": module, "arguments": arguments, "cwd": str(cwd), "environment": environment}
        data = json.dumps(order).encode() + b"\n"
        sent = socket.send_fds(self._socket, [data], [file.fileno() for file in files])
        self._socket.sendall(data[sent:])
        self._last = Forked(self._answers.next(), files, self._answers.next)
        return self._last

    def run(self, module, *arguments, timeout=120, **place):
        """What `python -m MODULE ARGUMENTS` did: exit code, stdout and stderr."""
        process = self.start(module, *arguments, **place)
        out, told = process.communicate(timeout)
        return subprocess.CompletedProcess([module, *arguments], process.returncode, out, told)


class Forked:
    """One command under way, as `subprocess.Popen` has it."""

    def __init__(self, pid, files, ended):
        self.pid = pid
        self.returncode = None
        self._files = files
        self._ended = ended

    def send_signal(self, number):
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended in this moment
                os.kill(self.pid, number)

    def kill(self):
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def poll(self, seconds=0):
        """Its exit code; None while it runs."""
        if self.returncode is None:
            self.returncode = self._ended(seconds)
        return self.returncode

    def communicate(self, timeout=120):
        """Its stdout and stderr, once it has ended."""
        if self.poll(timeout) is None:
            self.kill()
            self.poll(timeout)
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        with ExitStack() as stack:
            for file in self._files:
                stack.enter_context(file).seek(0)
            return self._files[1].read(), self._files[2].read()


def _serve(connection, path):
    """Fork for each order and answer with its exit code; returns the order in the process that is to follow it."""
    while True:
        data, descriptors, *_ = socket.recv_fds(connection, 1 << 20, 3)
        while data and not data.endswith(b"\n"):
            data += connection.recv(1 << 20)
        if not data:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which wait for work
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
    if order["module"] != PACKAGE:
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
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
    LEAVE(code or 0)


def _import_commands():
    from grpo_env_sdk.cli import COMMANDS, command_module

    for name in COMMANDS:
        command_module(name)


def _main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = {str(Path(__file__).parent), *os.environ["PYTHONPATH"].split(os.pathsep)}
    path = [item for item in sys.path if item not in before]
    for name in LIBRARIES:
        importlib.import_module(name)
    _import_commands()
    gc.freeze()  # or collecting in one process copies what all share
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        order = _serve(connection, path)
    if order is not None:
        _follow(order)


if __name__ == "__main__":
    _main()
