"""The process that runs environment code: limited, without secrets, and killed with everything it started."""

import contextlib
import os
import re
import secrets
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.processes.python_child import start_child
from grpo_env_sdk.checking.runner.events import EventLines
from grpo_env_sdk.checking.runner.worker import Order
from grpo_env_sdk.isolation.processes.env_pool import PoolKind
from grpo_env_sdk.isolation.processes.forked import ended_how
from grpo_env_sdk.isolation.sandbox.child_processes import children_of
from grpo_env_sdk.isolation.sandbox.server_in_sandbox import SCRATCH, sandbox_prefix

_KEPT_BYTES = 8_000
_GRACE_SECONDS = 2.0
_UNTIL_GONE = 6.0
_DUMP_SECONDS = 0.5
_BY_SIGNAL = 128
"""What bubblewrap adds to the number of the signal that ended its command, for an exit code."""
MEMORY = 4 << 30
"""The most memory that a process under test may use, on a machine that has more."""


class Stop:
    """A request to stop for several threads: once asked, its descriptor stays readable for all of them."""

    def __init__(self) -> None:
        self.descriptor, self._open = os.pipe()

    def ask(self) -> None:
        """Ask every thread to stop."""
        os.close(self._open)


class WorkerProcess:
    """A process that runs the checks of an order; a context manager that leaves nothing behind."""

    def __init__(self, order: Order, cpu_seconds: int, stop: Stop | None = None, pool: PoolKind = "process") -> None:
        self._order = order
        self._sandboxed = pool == "sandbox"
        self._stop = stop
        self._cpu_seconds = cpu_seconds
        self._mark = secrets.token_hex(8)
        self.lines = EventLines(self._mark, order.checks)
        self.printed = 0
        self._tail = b""
        self.timed_out = False

    def __enter__(self) -> "WorkerProcess":
        self.folder = tempfile.mkdtemp(prefix="grpo-env-test-")
        self._events, writing = os.pipe()
        order = {
            "order": self._order.as_json(), "mark": self._mark,
            "memory": memory_limit(), "cpu_seconds": self._cpu_seconds,
            "leaves": not self._sandboxed,  # a sandbox takes with it what was left in it
        }  # fmt: skip
        self.process = start_child(
            "grpo_env_sdk.checking.runner.worker_main", order, SCRATCH if self._sandboxed else self.folder,
            arguments=[str(writing)], environ={"TMPDIR": self.folder}, prefix=self._prefix(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=(writing,), start_new_session=True,
        )  # fmt: skip
        os.close(writing)
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        self.kill()
        os.close(self._events)
        assert self.process.stdout is not None
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def events(self, until: Callable[[], float]) -> Iterator[dict[str, Any]]:
        """Each event as it arrives, until the process ends, or is killed at the time `until()`.

        Raises a KeyboardInterrupt where a stop is asked for.
        """
        assert self.process.stdout is not None
        output = self.process.stdout.fileno()
        with selectors.DefaultSelector() as ready:
            ready.register(self._events, selectors.EVENT_READ)
            ready.register(output, selectors.EVENT_READ)
            if self._stop is not None:
                ready.register(self._stop.descriptor, selectors.EVENT_READ)
            while self._events in ready.get_map():
                wait = until() - time.monotonic()
                if wait <= 0:
                    if self.timed_out:
                        return self.kill()
                    self._ask_for_tracebacks()
                    until, wait = _after(_DUMP_SECONDS), _DUMP_SECONDS
                for key, _ in ready.select(wait):
                    if self._stop is not None and key.fd == self._stop.descriptor:
                        raise KeyboardInterrupt
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        ready.unregister(key.fd)
                    elif key.fd == output:
                        self._note(data)
                    else:
                        yield from self.lines.read(data)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_SECONDS)
        return self.kill()

    def _ask_for_tracebacks(self) -> None:
        """Have the process print the traceback of each thread, before it is killed."""
        self.timed_out = True
        self._tail = b""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid(), signal.SIGUSR1)

    def kill(self) -> None:
        """Kill the process and everything it started."""
        if not self._sandboxed:  # its first process kills all others; what has stopped that one does not
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                self.process.terminate()
                self.process.send_signal(signal.SIGCONT)
                self.process.wait(_UNTIL_GONE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def last_output(self) -> str:
        """The end of what it printed."""
        return self._tail.decode(errors="replace").strip()

    def own_lines(self) -> list[str]:
        """The lines of the environment that were running, innermost first, from the tracebacks that Python printed."""
        package = re.escape(self._order.spec.entry_point.partition(":")[0].partition(".")[0])
        found = re.findall(rf'File "(.*/{package}(?:\.py|/.*))", line (\d+) in (\S+)', self.last_output)
        origin = self._order.settings.origin + os.sep
        return [f"{file.removeprefix(origin)}:{line} in {function}" for file, line, function in found]

    def how_it_ended(self) -> str:
        """`ended with exit code 3`, `crashed (SIGSEGV)`."""
        code = self.process.returncode
        if self._sandboxed and code - _BY_SIGNAL in signal.valid_signals():
            code = _BY_SIGNAL - code
        return ended_how(code)

    def _prefix(self) -> list[str]:
        """The command of the sandbox, which shows the files of the model that is checked too."""
        model = self._order.settings.model
        return sandbox_prefix([model] if model else []) if self._sandboxed else []

    def _pid(self) -> int:
        """The process that runs the checks: a child of the first, and in a sandbox of bubblewrap's own child."""
        pid = self.process.pid
        for _ in range(2 if self._sandboxed else 1):
            pid = next(iter(children_of(pid)), self.process.pid)
        return pid

    def _note(self, data: bytes) -> None:
        self.printed += len(data)
        self._tail = (self._tail + data)[-_KEPT_BYTES:]


def _after(seconds: float) -> Callable[[], float]:
    ends = time.monotonic() + seconds
    return lambda: ends


def memory_limit() -> int:
    """The most memory that a process under test may use."""
    return min(MEMORY, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
