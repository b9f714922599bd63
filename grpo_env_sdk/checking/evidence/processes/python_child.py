"""Python in a process of its own: the same sys.path, no secrets, a folder to work in, JSON in and JSON out."""

import contextlib
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from grpo_env_sdk.isolation.author_code.import_folders import folders_of_workers
from grpo_env_sdk.isolation.processes.child_environ import without_secrets
from grpo_env_sdk.late_patterns import regex

_RARELY = (50_000, 20, 20)
"""When garbage is collected: rows, transcripts and reports live long, and looking through them again takes time."""
IMPORTABLE = "Check that another process can import the class: it cannot if it is defined in a notebook."
"""The hint where a child could not work."""
_MOST_ERRORS, _MOST_TOLD = 10_000, 200
"""How many characters of what a child wrote are read, and how many of its last line are told."""
_RAISED = regex(r"[\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b")


def start_child(
    module: str,
    order: Mapping[str, Any],
    folder: str,
    hash_seed: int = 0,
    arguments: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    **popen: Any,
) -> "subprocess.Popen[bytes]":
    """Start `python -m module`, after a prefix such as that of a sandbox, and send it an order for `read_order`."""
    process = subprocess.Popen(
        [*prefix, sys.executable, "-P", "-m", module, *arguments], stdin=subprocess.PIPE,
        env=without_secrets(os.environ) | {"PYTHONHASHSEED": str(hash_seed)} | dict(environ or {}), **popen,
    )  # fmt: skip
    assert process.stdin is not None
    sent = {**order, "folder": folder, "sys_path": folders_of_workers()}
    with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
        stdin.write(json.dumps(sent).encode() + b"\n")
    return process


def read_order() -> dict[str, Any]:
    """In the child: the order from stdin; sys.path and the working directory are then as it says."""
    gc.set_threshold(*_RARELY)
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    sys.path[:] = order["sys_path"]
    os.chdir(order["folder"])
    return order


def send_answer(order: Mapping[str, Any], value: Any) -> NoReturn:
    """In the child of a `ChildCall`: answer and end, whatever threads the environment left."""
    with open(order["answer_file"], "w", encoding="utf-8") as file:
        json.dump(value, file)
    os._exit(0)


class ChildCall:
    """A child process that works on an order in the background and answers with one JSON value."""

    def __init__(
        self,
        module: str,
        order: Mapping[str, Any],
        hash_seed: int,
        folder: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._own_folder = tempfile.mkdtemp(prefix="grpo-env-child-")
        self._answer_file = os.path.join(self._own_folder, "answer.json")
        self._errors = os.path.join(self._own_folder, "errors.txt")
        empty = os.path.join(self._own_folder, "working")  # for each child, as imports may look for files they wrote
        os.mkdir(empty)
        with open(self._errors, "wb") as errors:
            self._process = start_child(
                module, {**order, "answer_file": self._answer_file}, folder or empty, hash_seed,
                environ=environ, stdout=subprocess.DEVNULL, stderr=errors,
            )  # fmt: skip
        weakref.finalize(self, _end, self._process, self._own_folder, os.getpid())

    def answer(self, seconds: float) -> Any:
        """The answer; None if the child failed or took longer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        try:
            with open(self._answer_file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    @property
    def failure(self) -> str:
        """The exception that ended it, in a line; empty where none did."""
        with contextlib.suppress(OSError), open(self._errors, encoding="utf-8", errors="replace") as file:
            *_, last = ("", *filter(None, map(str.strip, file.read()[-_MOST_ERRORS:].splitlines())))
            return f": {last[:_MOST_TOLD].rstrip('.')}" if _RAISED.match(last) else ""
        return ""


def _end(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """Leave neither the process nor its files behind; a copy of this process leaves them to the one that began."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
