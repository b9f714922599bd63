"""The other side of a fork server: wait for orders, fork workers, say how each ended, and leave nothing behind."""

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from grpo_env_sdk.isolation.processes.forked import FATE
from grpo_env_sdk.isolation.processes.process_tree import (
    adopt_orphans,
    end_with_parent,
    kill,
    kill_children,
)
from grpo_env_sdk.isolation.sandbox.child_processes import children_of

Work = Callable[[dict[str, Any], socket.socket, str], None]
"""What a worker does: by its settings, with its socket, in its own folder."""


@dataclass(frozen=True, slots=True)
class _Worker:
    number: int
    fate: int
    folder: str


def first_order() -> tuple[socket.socket, dict[str, Any]]:
    """The control socket of this process, and the order that prepares it; sys.path is then that of the parent."""
    end_with_parent()
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    line = bytearray()
    while not line.endswith(b"\n"):
        data = control.recv(1 << 16)
        if not data:
            os._exit(0)
        line += data
    order: dict[str, Any] = json.loads(line)
    sys.path[:] = order["sys_path"]
    return control, order


def answer(control: socket.socket, **told: Any) -> None:
    """Tell the parent that this process is ready, or why not."""
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(told).encode() + b"\n")


def serve_forks(control: socket.socket, work: Work, folder: str | None = None) -> NoReturn:
    """Fork a worker for each order until the parent has gone; then end them all, and remove the folder of theirs."""
    server = _Server(control, work, folder)
    try:
        server.serve()
    finally:
        server.end()
        os._exit(0)


class _Server:
    def __init__(self, control: socket.socket, work: Work, folder: str | None) -> None:
        self.control, self.work, self.pid = control, work, os.getpid()
        self.root = folder or tempfile.mkdtemp(prefix="grpo-env-workers-")
        self.workers: dict[int, _Worker] = {}
        self.descriptors: list[int] = []
        self.wake, self.waking = os.pipe()
        os.set_blocking(self.waking, False)
        os.set_blocking(self.wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self.waking, warn_on_full_buffer=False)
        adopt_orphans()
        end_with_parent(0)  # from here on the end of the control socket says that the parent has gone
        gc.collect()
        gc.freeze()  # so that collecting garbage in a worker copies no pages

    def serve(self) -> None:
        """Do what the parent orders."""
        rest = b""
        while True:
            ready = select.select([self.control.fileno(), self.wake], [], [])[0]
            if self.wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self.wake, 4096)
                self.reap()
            if self.control.fileno() in ready:
                try:
                    data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 16, 64)
                except OSError:
                    return
                if not data:
                    return
                self.descriptors += descriptors
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.obey(json.loads(line))

    def obey(self, order: dict[str, Any]) -> None:
        """Fork a worker, or kill one."""
        if "fork" in order:
            talk, fate = self.descriptors.pop(0), self.descriptors.pop(0)
            self.fork(order, talk, fate)
        else:
            for pid, worker in self.workers.items():
                if worker.number == order["kill"]:
                    kill(pid)

    def fork(self, order: dict[str, Any], talk: int, fate: int) -> None:
        """Another worker with a folder of its own."""
        number = order["fork"]
        folder = os.path.join(self.root, str(number))
        try:
            os.mkdir(folder)
            with warnings.catch_warnings():  # of threads that the import has left: a worker does not have them
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
        except OSError as exc:  # no more processes, no memory, no space
            os.write(fate, FATE.pack(exc.errno or 1))
            os.close(fate)
            os.close(talk)
            return
        if pid == 0:
            self.become_worker(order["settings"], talk, fate, folder)
        os.close(talk)
        self.workers[pid] = _Worker(number, fate, folder)

    def become_worker(self, settings: dict[str, Any], talk: int, fate: int, folder: str) -> NoReturn:
        """In the child: let go of what is the server's, and work."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            end_with_parent()
            if os.getppid() != self.pid:  # it ended before the kernel was asked
                os._exit(1)
            adopt_orphans()
            os.setsid()
            for descriptor in (self.wake, self.waking, fate, *(other.fate for other in self.workers.values())):
                os.close(descriptor)
            self.control.close()
            self.work(settings, socket.socket(fileno=talk), folder)
            code = 0
        except SystemExit as exc:
            code = exc.code if isinstance(exc.code, int) else 1
        finally:
            os._exit(code)

    def reap(self) -> None:
        """Say how ended workers did, and kill what they have left."""
        while pid := _ended_child():
            kill(pid)  # its group first, while nobody else can have its number
            _, status = os.waitpid(pid, 0)
            if (worker := self.workers.pop(pid, None)) is not None:
                self.kill_orphans()
                with contextlib.suppress(OSError):
                    os.write(worker.fate, FATE.pack(os.waitstatus_to_exitcode(status)))
                os.close(worker.fate)
                shutil.rmtree(worker.folder, ignore_errors=True)

    def kill_orphans(self) -> None:
        """Kill what workers that have ended left behind: children of this process that are no workers."""
        for pid in children_of(os.getpid()):
            if pid not in self.workers:
                kill(pid)

    def end(self) -> None:
        """Kill all workers and all that they started, and remove their folders."""
        self.workers = {}
        kill_children()
        shutil.rmtree(self.root, ignore_errors=True)


def _ended_child() -> int:
    """A child that has ended and is not reaped; 0 if there is none."""
    with contextlib.suppress(ChildProcessError):
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return 0 if ended is None else ended.si_pid
    return 0
