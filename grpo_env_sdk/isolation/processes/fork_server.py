"""A process that imports other people's code once and forks workers in milliseconds; this is the parent's side."""

import contextlib
import itertools
import json
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from grpo_env_sdk.errors import (
    BrokenPackageError,
    ConfigError,
    ContractError,
    DatasetError,
    DeadlineError,
    EnvironmentFailedError,
    GrpoEnvError,
    UnknownNameError,
    UsageError,
)
from grpo_env_sdk.isolation.author_code.import_folders import folders_of_workers
from grpo_env_sdk.isolation.processes.forked import UNTIL_REAPED, Forked, ended_how, is_told
from grpo_env_sdk.isolation.processes.process_tree import kill_marked
from grpo_env_sdk.isolation.sandbox.child_processes import children_of
from grpo_env_sdk.isolation.sandbox.printed_text import shown_as_text

_UNTIL_TOLD = 60.0
"""How long a server that runs may take to say that a worker is gone: on a busy machine it may be slow."""
_MARK = "GRPO_ENV_FORK_SERVER"
"""The variable by which what workers have started is found, where the server was killed."""
_MOST = 1 << 20
"""The longest line that is read from the server."""


class ForkServer:
    """Starts `python -m module`, which prepares itself by an order, and forks it for each worker."""

    def __init__(
        self, module: str, order: Mapping[str, Any], prefix: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._command = [*prefix, sys.executable, "-P", "-m", module]
        self._order = order
        self._folder: str | None = None  # of its workers; one in a sandbox makes its own
        self._shows_text = bool(prefix)  # a sandbox gets no terminal to steer or to read
        self._shown: threading.Thread | None = None
        self._mark = ""  # of the process that runs: another one for each, as a fork of this process starts its own
        self._environ = dict(os.environ if environ is None else environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        _servers.add(self)

    def leave_to_parent(self) -> None:
        """In a fork of this process: the process and its folder are the parent's, and this one starts its own."""
        if self._control is not None:
            self._control.close()
        self._process = self._control = self._folder = self._shown = None
        self._lock = threading.Lock()

    @property
    def runs(self) -> bool:
        """Whether it can fork workers; its socket says first that it has ended, before its workers have."""
        control, process = self._control, self._process
        return control is not None and process is not None and not _is_closed(control) and process.poll() is None

    def start(self, seconds: float | None) -> None:
        """Start it and wait until it is prepared; raises what it could not do."""
        with self._lock:
            if self.runs:
                return
            self._prepare(seconds)

    def _prepare(self, seconds: float | None) -> None:
        self.kill()
        ours, theirs = socket.socketpair()
        with theirs:
            self._launch(theirs.fileno())
        if not self._shows_text:
            self._folder = tempfile.mkdtemp(prefix="grpo-env-workers-")
        order = {
            **self._order, "sys_path": folders_of_workers(), "folder": os.getcwd(), "folder_of_workers": self._folder,
        }  # fmt: skip
        ours.settimeout(seconds)
        try:
            ours.sendall(json.dumps(order).encode() + b"\n")
            answer = _line_from(ours)
            ours.settimeout(UNTIL_REAPED)
        except TimeoutError:
            ours.close()
            self.kill()
            raise DeadlineError(
                f"{self._order['whose']}: a process for its episodes was not ready within {seconds:g} s.",
                "Fix what hangs, or give it more time: --limit-build.",
            ) from None
        if "ready" not in answer:
            ours.close()
            self.kill()
            message = answer.get("message") or f"the process {ended_how(self._code())}"
            raise self._error(str(answer.get("type")), str(message), str(answer.get("hint") or ""))

        self._control = ours

    def _error(self, kind: str, message: str, hint: str) -> GrpoEnvError:
        """Why it could not be prepared; where nothing else has loaded it before, as this process would say it."""
        whose, raised = self._order["whose"], _RAISED.get(kind)
        if not self._order.get("first"):
            text = f"{whose} cannot be loaded in another process: {message}"
            hint = hint or "Leave --env-pool out to run it in this process."
            return (raised if raised is UsageError else EnvironmentFailedError)(text, hint)
        if raised is not None:
            return raised(message, hint)
        return EnvironmentFailedError(f"{whose} cannot be loaded: {message}.", hint or "Fix that in its code.")

    def fork(self, settings: Mapping[str, Any] | None = None) -> Forked:
        """Another worker, which gets the order with these settings; the socket to it does not block."""
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        control, process, number = self._control, self._process, next(self._numbers)
        _tell(control, {"fork": number, "settings": dict(settings or {})}, [theirs.fileno(), writing])
        theirs.close()
        os.close(writing)
        ours.setblocking(False)
        return Forked(partial(_tell, control, {"kill": number}), partial(_give_up, process), ours, reading)

    def close(self) -> None:
        """Ask it to end, with its workers and all that they started, and make sure that it does."""
        control, self._control = self._control, None
        if control is not None:
            control.close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(UNTIL_REAPED)
        self.kill()

    def kill(self) -> None:
        """End it now."""
        control, self._control = self._control, None
        if control is not None:
            control.close()
        _end(self._process)
        if self._process is not None and self._process.returncode:  # it could not end what its workers started
            kill_marked(_MARK, self._mark)
        if self._folder is not None:  # where something killed it, it could not
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._shown is not None:
            self._shown.join(UNTIL_REAPED)

    def _launch(self, control: int) -> None:
        """Start the process in a thread that lives as long as it does, since the kernel kills it with this thread."""
        started = threading.Event()
        failed: list[OSError] = []

        self._mark = secrets.token_hex(16)
        environ = {**self._environ, _MARK: self._mark}

        def run() -> None:
            try:
                self._process = subprocess.Popen(
                    [*self._command, str(control)], stdin=subprocess.DEVNULL, env=environ,
                    stdout=subprocess.PIPE if self._shows_text else 2, pass_fds=(control,), start_new_session=True,
                    stderr=subprocess.STDOUT if self._shows_text else None,
                )  # fmt: skip  # stdout is this command's own, and may be one JSON object
                if self._process.stdout is not None:
                    self._shown = shown_as_text(self._process.stdout)
            except OSError as exc:
                failed.append(exc)
                return
            finally:
                started.set()
            self._process.wait()

        threading.Thread(target=run, name="grpo-env fork server", daemon=True).start()
        started.wait()
        if failed:
            raise failed[0]

    def _code(self) -> int | None:
        return None if self._process is None else self._process.poll()


_RAISED: dict[str, type[GrpoEnvError]] = {
    error.__name__: error
    for error in (
        BrokenPackageError, ConfigError, ContractError, DatasetError, DeadlineError, EnvironmentFailedError,
        UnknownNameError, UsageError,
    )
}  # fmt: skip
"""Errors that a process may name as the reason why it is not prepared."""


def _leave_to_parent() -> None:
    for server in list(_servers):
        server.leave_to_parent()


_servers: "weakref.WeakSet[ForkServer]" = weakref.WeakSet()
os.register_at_fork(after_in_child=_leave_to_parent)


def _is_closed(control: socket.socket) -> bool:
    """Whether nobody has the other side any more."""
    poll = select.poll()
    poll.register(control, 0)  # a hang-up is always told
    return bool(poll.poll(0))


def _tell(control: socket.socket | None, order: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send an order; a server that is gone gets none, and its workers have ended."""
    with contextlib.suppress(OSError):
        if control is not None:
            socket.send_fds(control, [json.dumps(order).encode() + b"\n"], descriptors)


def _give_up(process: "subprocess.Popen[bytes] | None", fate: int) -> None:
    """End a server that something has stopped, or that never says what became of a worker."""
    if process is not None and (_is_stopped(_server_behind(process.pid)) or not is_told(fate, _UNTIL_TOLD)):
        _end(process)


def _server_behind(pid: int) -> int:
    """The server in bubblewrap, which is two processes, one in the other; or this process itself."""
    with contextlib.suppress(OSError, IndexError):
        while _read(f"/proc/{pid}/comm").strip() == "bwrap":
            pid = children_of(pid)[0]
    return pid


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _is_stopped(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] in "Tt"
    return False


def _end(process: "subprocess.Popen[bytes] | None") -> None:
    if process is not None and process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _line_from(control: socket.socket) -> dict[str, Any]:
    """The answer of the server as one line of JSON; empty if it ended."""
    got, deadline = bytearray(), control.gettimeout()
    ends = None if deadline is None else time.monotonic() + deadline
    while not got.endswith(b"\n") and len(got) < _MOST:
        if ends is not None:
            control.settimeout(max(0.001, ends - time.monotonic()))
        try:
            data = control.recv(65536)
        except (ConnectionError, ValueError):
            data = b""
        if not data:
            return {}
        got += data
    with contextlib.suppress(ValueError):
        answer = json.loads(got)
        return answer if isinstance(answer, dict) else {}
    return {}
