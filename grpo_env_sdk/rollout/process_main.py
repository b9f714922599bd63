"""`python -m grpo_env_sdk.rollout.process_main FD`: load an environment once, and fork a worker for each episode."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.isolation.processes.fork_server_main import answer, first_order, serve_forks
from grpo_env_sdk.isolation.processes.lossy_output import lose_what_cannot_be_written

_ROOM = 64 << 20
"""What a worker needs beside its environment: threads, messages."""


def main() -> None:
    """Load the environment of the order, and serve."""
    control, order = first_order()
    lose_what_cannot_be_written("stdout", "stderr")
    try:
        first = order.get("first", False)
        with warnings.catch_warnings(record=True) as noted, _silent(first):
            warnings.simplefilter("always", GrpoEnvWarning)
            from grpo_env_sdk.envs.tokenizer import opened
            from grpo_env_sdk.isolation.author_code.python_functions import PythonFunctions
            from grpo_env_sdk.rollout.process_order import loaded_from
            from grpo_env_sdk.rollout.process_worker import work

            loaded, order["rows"] = loaded_from(order)
            order["scorer_tokenizer"] = opened(order["scorer_tokenizer"])
            order["functions"] = PythonFunctions()
        order["notes"] = [str(note.message) for note in noted if issubclass(note.category, GrpoEnvWarning)]
        _check_room(order["memory"])
    except BaseException as exc:  # SystemExit too
        from grpo_env_sdk.isolation.calls.tracebacks import describe_error

        answer(control, type=type(exc).__name__, message=getattr(exc, "message", "") or describe_error(exc),
               hint=getattr(exc, "hint", ""))  # fmt: skip
        os._exit(1)
    answer(control, ready=True)
    serve_forks(control, partial(work, loaded, order), order.pop("folder_of_workers"))


def _check_room(limit: int | None) -> None:
    """Raise where a worker would have no memory left for its first episode."""
    from grpo_env_sdk.errors import UsageError

    status = Path("/proc/self/status")
    if not limit or not status.is_file():
        return
    used = next(int(line.split()[1]) << 10 for line in status.read_text().splitlines() if line.startswith("VmData"))
    if used + _ROOM > limit:
        raise UsageError(
            f"it needs {(used + _ROOM) / 1e9:.2f} GB for its first episode, and the limit is {limit / 1e9:.2f}.",
            f"Give a process more: --env-memory {(used + 4 * _ROOM) / 1e9:.1f}",
        )


@contextlib.contextmanager
def _silent(first: bool) -> Iterator[None]:
    """While this lasts, what is printed is lost: it was shown before. The first process that loads it shows it."""
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    nothing = os.dup(2) if first else os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, before in zip((1, 2), kept, strict=True):
            os.dup2(before, descriptor)
            os.close(before)
        os.close(nothing)


if __name__ == "__main__":
    main()
