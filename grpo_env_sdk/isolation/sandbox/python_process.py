"""A Python process for code that nobody trusts: in bubblewrap where that works, else with limits only."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from grpo_env_sdk.errors import ConfigError, DeadlineError, GrpoEnvWarning
from grpo_env_sdk.isolation.sandbox.child_processes import children_of
from grpo_env_sdk.isolation.sandbox.socket_filter import filtered

SandboxKind = Literal["auto", "bubblewrap", "none"]
INSTALL = "Install bubblewrap (apt install bubblewrap) where user namespaces are allowed."
BUBBLEWRAP = (
    "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--size", str(64 << 20), "--tmpfs", "/dev/shm",
    "--remount-ro", "/dev",
)  # fmt: skip
"""How each sandbox begins. Without the capabilities that root has, which undo all other rules, and with settings of
the machine (`/proc/sys`) to read only, as root owns them."""
_SCRIPTS = Path(__file__).with_name("inside")
_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64")
_UNTIL_KILLED = 10.0
_ENVIRON = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
_OPTIONS = ("-P", "-s", "-S")
"""As `-I`, which would not read the hash seed: without one the order of a set, and so a score, differs by run."""
_MARK = "GRPO_ENV_SANDBOX"
_IN_SANDBOX = "GRPO_ENV_IN_SANDBOX"
"""Set where the environment itself runs in a sandbox."""
WORKERS_SANDBOX = ("--setenv", _IN_SANDBOX, "1")
_START = f"""
import sys, importlib
sys.path.insert(0, {str(_SCRIPTS.parent)!r})
main = importlib.import_module("inside." + sys.argv[1]).main
del sys.path[0]
main()
"""


@dataclass(frozen=True)
class ProcessLimits:
    """What a sandboxed process may use; `seconds` of CPU time, and as many of waiting for one answer."""

    seconds: float = 5.0
    memory_mb: int = 512
    disk_mb: int = 16
    message_kb: int = 1024

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise ConfigError(f"{name} is {value!r}.", "Give a number above 0.")


class ProcessEndedError(Exception):
    """The process ended before it answered."""


class OutputTooLongError(Exception):
    """The process sent more than it may."""


def use_bubblewrap(kind: SandboxKind) -> bool:
    """Whether bubblewrap is used; a warning where it is wanted and does not work, an error where it is required."""
    if kind == "none":
        return False
    if kind == "auto" and _IN_SANDBOX in os.environ:
        note_shared_sandbox()
        return False
    why_not = _why_no_bubblewrap()
    if why_not and kind == "bubblewrap":
        raise ConfigError(f"There is no bubblewrap sandbox here: {why_not}.", INSTALL)
    if why_not:
        warnings.warn(
            f"The model's code runs with limits but without a sandbox, as {why_not}: it can read files and use the "
            f"network. {INSTALL}", GrpoEnvWarning, stacklevel=2,
        )  # fmt: skip
    return not why_not


@cache
def note_shared_sandbox() -> None:
    """In a sandboxed worker, note once, also for those forked later, what the model's code can do there."""
    if _IN_SANDBOX in os.environ:
        warnings.warn(
            "The model's code runs with limits in the sandbox of its environment, as a sandbox cannot hold another: "
            "it has neither your files nor the network, but it can read the environment's code and tests. "
            "--env-pool process gives it a sandbox of its own.", GrpoEnvWarning, stacklevel=2,
        )  # fmt: skip


class SandboxedProcess:
    """One of the scripts in `inside/`, with a line of JSON to and from it at a time."""

    def __init__(self, script: str, order: Mapping[str, Any], limits: ProcessLimits, bubblewrap: bool) -> None:
        self._limits, self._bubblewrap = limits, bubblewrap
        self._mark = uuid.uuid4().hex
        self._folder = None if bubblewrap else tempfile.mkdtemp(prefix="grpo-env-sandbox-")
        self._process = subprocess.Popen(
            [*(_bubblewrap_command(limits) if bubblewrap else ()), _python(), *_OPTIONS, "-B", "-c", _START, script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            start_new_session=True, cwd=self._folder, env=_ENVIRON | {_MARK: self._mark},
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        self._received = bytearray()
        given = asdict(limits) | {"processes": 64 if bubblewrap else None}
        try:
            self.send(json.dumps({**order, "limits": given}).encode())
        except BaseException:
            self.close()
            raise

    def send(self, line: bytes) -> None:
        """Send one line; a process that does not read it in time raises."""
        self._exchange(line + b"\n", lambda received: True)

    def receive(self) -> bytes:
        """The next line that it sends."""
        self._exchange(b"", lambda received: b"\n" in received)
        line, _, rest = self._received.partition(b"\n")
        self._received = rest
        return bytes(line)

    def run_to_end(self, text: bytes) -> bytes:
        """All that it writes, until it ends, when it reads this text and then the end of its input."""
        with contextlib.suppress(ProcessEndedError):
            self._exchange(text, lambda received: False, close=True)
        return bytes(self._received)

    def _exchange(self, left: bytes, is_enough: Callable[[bytearray], bool], *, close: bool = False) -> None:
        """Write what is left and read until it is enough, both at once and under one deadline."""
        deadline, read_from = time.monotonic() + self._limits.seconds, self._from
        with selectors.DefaultSelector() as selector:
            selector.register(read_from, selectors.EVENT_READ)
            if left:
                selector.register(self._to, selectors.EVENT_WRITE)
            elif close:
                self._close_input()
            while left or not is_enough(self._received):
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise DeadlineError(f"no answer within {self._limits.seconds:g} s")
                for key, _ in ready:
                    if key.fd == read_from:
                        self._read_some()
                        continue
                    left = left[self._write_some(left, unread=close) :]
                    if not left:
                        selector.unregister(self._to)
                        if close:
                            self._close_input()

    def _read_some(self) -> None:
        read = os.read(self._from, 65536)
        if not read:
            raise ProcessEndedError("the process ended")
        self._received += read
        if len(self._received) > self._limits.message_kb * 1024:
            raise OutputTooLongError(f"more than {self._limits.message_kb:g} KiB at once")

    def _write_some(self, data: bytes, unread: bool) -> int:
        """How much was written: all, if it may be `unread`, where nobody reads any more, as what was printed counts."""
        try:
            return os.write(self._to, data)
        except BrokenPipeError as exc:
            if unread:
                return len(data)
            raise ProcessEndedError("the process ended") from exc

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def close(self) -> None:
        """End it, with every process that it started."""
        if self._bubblewrap:
            for pid in children_of(self._process.pid):  # the first process of the namespace takes all others with it,
                _kill(pid)  # and bubblewrap ends when all are gone
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_UNTIL_KILLED)
        self._process.kill()
        self._process.wait()
        if not self._bubblewrap:  # they may have left the process group
            _kill_marked(f"{_MARK}={self._mark}".encode())
            shutil.rmtree(str(self._folder), ignore_errors=True)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def __enter__(self) -> "SandboxedProcess":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def _python() -> str:
    """The interpreter itself, not the link to it in a virtual environment."""
    return os.path.realpath(sys.executable)


@cache
def _bubblewrap_command(limits: ProcessLimits) -> list[str]:
    """No network, nothing to read but the standard library, nothing to write but a small folder that goes away."""
    command = [*filtered([*BUBBLEWRAP]), "--clearenv"]
    for name, value in _ENVIRON.items():
        command += ["--setenv", name, value]
    size = str(int(limits.disk_mb * 2**20))
    command += ["--size", size, "--tmpfs", "/tmp"]  # first: scripts may be in /tmp
    for path in (*_LIBRARIES, os.path.join(sys.base_prefix, "lib")):
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            command += ["--ro-bind", path, path]
    for path in _importable_beyond_the_standard_library():
        command += ["--tmpfs", path]
    for path in (_python(), str(_SCRIPTS)):
        command += ["--ro-bind", path, path]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp"]


def _importable_beyond_the_standard_library() -> list[str]:
    """Folders inside the libraries that hold installed packages, such as the environment with its hidden tests."""
    roots = [os.path.realpath(path) + os.sep for path in (*_LIBRARIES, os.path.join(sys.base_prefix, "lib"))]
    folders = {os.path.realpath(path) for path in sys.path if path and not path.endswith("lib-dynload")}
    folders |= {str(path) for root in roots for path in Path(root).glob("python3*/*-packages")}
    folders.discard(os.path.realpath(os.path.dirname(os.__file__)))
    return sorted(path for path in folders if os.path.isdir(path) and path.startswith(tuple(roots)))


@cache
def _why_no_bubblewrap() -> str:
    """Why it does not work here; an empty string if it does."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    try:
        tried = subprocess.run(
            [*_bubblewrap_command(ProcessLimits()), _python(), *_OPTIONS, "-c", "pass"],
            capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"bwrap failed ({type(exc).__name__})"
    return (tried.returncode and f"bwrap failed ({tried.stderr.strip()[:200]})") or ""


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _kill_marked(mark: bytes) -> None:
    """Kill each process that inherited the mark, until there is none."""
    found = True
    while found:
        found = False
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in environ.read_bytes():
                    _kill(int(environ.parent.name))
                    found = True
