"""A process of its own for environment code: limited, without secrets, and killed with all that it started."""

import contextlib
import json
import os
import re
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from grpo_env_sdk.checking.runner.worker import Order
from grpo_env_sdk.checking.runner.worker_main import CUT_OFF

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
_KEPT_BYTES = 8_000
_GRACE_SECONDS = 2.0
_DUMP_SECONDS = 0.5
MEMORY = 4 << 30
"""How much data a process under test may hold, where the machine has more than that."""


class Child:
    """One process that does an order; a context manager that leaves nothing of it behind."""

    def __init__(self, order: Order, cpu_seconds: int) -> None:
        self._order = order
        self._cpu_seconds = cpu_seconds
        self._mark = secrets.token_hex(8)
        self._rest = b""
        self.strays = 0
        """Lines on our way back that are not ours: the environment wrote to a descriptor that it did not open."""
        self.printed = 0
        self._tail = b""
        self.timed_out = False

    def __enter__(self) -> "Child":
        self.folder = tempfile.mkdtemp(prefix="grpo-env-test-")
        reading, writing = os.pipe()
        self._events = reading
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grpo_env_sdk.checking.runner.worker_main", str(writing)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=(writing,),
            env=without_secrets(os.environ) | {"TMPDIR": self.folder, "PYTHONHASHSEED": "0"}, start_new_session=True,
        )  # fmt: skip
        os.close(writing)
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
            stdin.write(json.dumps(self._asked()).encode() + b"\n")
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        self.kill()
        os.close(self._events)
        assert self.process.stdout is not None
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def events(self, until: Callable[[], float]) -> Iterator[dict[str, Any]]:
        """Each event as it comes, until the process has ended, or is killed when `until()` is past."""
        assert self.process.stdout is not None
        output = self.process.stdout.fileno()
        with selectors.DefaultSelector() as ready:
            ready.register(self._events, selectors.EVENT_READ)
            ready.register(output, selectors.EVENT_READ)
            while self._events in ready.get_map():
                wait = until() - time.monotonic()
                if wait <= 0:
                    if self.timed_out:
                        return self.kill()
                    self._ask_where()
                    until, wait = _after(_DUMP_SECONDS), _DUMP_SECONDS
                for key, _ in ready.select(wait):
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        ready.unregister(key.fd)
                    elif key.fd == output:
                        self._note(data)
                    else:
                        yield from self._whole(data)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_SECONDS)
        return self.kill()

    def _ask_where(self) -> None:
        """Have the process print what each of its threads is doing, before it is killed."""
        self.timed_out = True
        self._tail = b""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGUSR1)

    def kill(self) -> None:
        """End the process and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def last_words(self) -> str:
        """The end of what it printed."""
        return self._tail.decode(errors="replace").strip()

    def how_it_ended(self) -> str:
        """`ended the process with exit code 3`, `crashed the interpreter (SIGSEGV)`."""
        code = self.process.returncode
        if code == CUT_OFF:
            return "closed a descriptor that it did not open"
        if code >= 0:
            return f"ended the process with exit code {code}"
        name = signal.Signals(-code).name
        if name == "SIGKILL":
            return "was killed (SIGKILL), perhaps for its memory"
        return f"crashed the interpreter ({name})" if name in ("SIGSEGV", "SIGABRT", "SIGBUS") else f"ended by {name}"

    def _asked(self) -> dict[str, Any]:
        return {
            "order": self._order.as_json(), "mark": self._mark, "folder": self.folder, "memory": _memory(),
            "cpu_seconds": self._cpu_seconds, "sys_path": [os.path.abspath(path) for path in sys.path],
        }  # fmt: skip

    def _whole(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The events of the lines that are whole by now."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        mark = self._mark.encode()
        for line in lines:
            if line.startswith(mark):
                with contextlib.suppress(ValueError):
                    yield json.loads(line[len(mark) :])
            elif line:
                self.strays += 1
        if len(self._rest) > 1 << 24:  # nobody but the environment writes lines like that
            self._rest, self.strays = b"", self.strays + 1

    def _note(self, data: bytes) -> None:
        self.printed += len(data)
        self._tail = (self._tail + data)[-_KEPT_BYTES:]


def _after(seconds: float) -> Callable[[], float]:
    ends = time.monotonic() + seconds
    return lambda: ends


def without_secrets(environ: Any) -> dict[str, str]:
    """The variables without those whose names speak of keys, tokens and passwords."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}


def _memory() -> int:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(MEMORY, physical // 2)
