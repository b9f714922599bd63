"""A server as a process: started, awaited until it is ready, and ended with the training whatever happens."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.direct_http import opened
from grpo_env_trl.serving import until_parent_ends

_POLL = 0.2
_ENDS_WITHIN = 2 * until_parent_ends.GRACE
_ERROR = re.compile(r"\b\w*(Error|Exception)\b: ")
_CONSEQUENCE = "root cause"
"""vLLM's own last error only says that there was another before it."""


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(command: Sequence[str], environ: Mapping[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that writes to `log`; it ends with the block, and also where this process is killed."""
    keeper = [sys.executable, "-I", str(Path(until_parent_ends.__file__)), str(os.getpid())]
    with (
        log.open("ab") as written,
        subprocess.Popen(
            [*keeper, *command], env=dict(environ), stdin=subprocess.DEVNULL, stdout=written,
            stderr=subprocess.STDOUT, start_new_session=True,  # Ctrl-C is for the training, which still needs it
        ) as process,
    ):  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()


def await_ready(
    process: "subprocess.Popen[bytes]", url: str, log: Path, patience: float, progress: Callable[[int, int], None]
) -> None:
    """Return once the server says that it is well; an error with the log's last line where it never does."""
    began = time.monotonic()
    while not _is_well(url):
        spent = time.monotonic() - began
        if process.poll() is not None:
            raise UsageError(
                f"The vLLM server ended with exit code {process.returncode} before it was ready: {last_line(log)}",
                f"All that it wrote: {log}",
            )
        if spent > patience:
            raise UsageError(
                f"The vLLM server was not ready after {patience:g} seconds: {last_line(log)}",
                f"Give it more with --vllm-server-timeout; all that it wrote: {log}",
            )
        progress(int(spent), int(patience))
        time.sleep(_POLL)


def last_line(log: Path) -> str:
    """The line of a log that says most about its end: the last error that names a cause, else the last line."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.search(line) and _CONSEQUENCE not in line]
    return (errors or lines or ["it wrote nothing."])[-1][-300:]


def _is_well(url: str) -> bool:
    try:
        with opened(f"{url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
