"""In the sandbox: the limits of this process, and its one line to the outside."""

import contextlib
import json
import os
import resource
from typing import Any, TextIO


def set_limits(limits: dict[str, Any]) -> None:
    """Set hard limits, which children inherit."""
    memory, disk = int(limits["memory_mb"] * 2**20), int(limits["disk_mb"] * 2**20)
    cpu = max(1, round(limits["seconds"]))
    wanted = {"AS": memory, "FSIZE": disk, "CPU": cpu, "CORE": 0, "NOFILE": 64, "NPROC": limits["processes"]}
    for name, value in wanted.items():
        if value is not None:
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with contextlib.suppress(OSError, ValueError):  # macOS knows no limit of memory
                resource.setrlimit(kind, (value, value))


def take_order() -> dict[str, Any]:
    """The first line, with the limits set."""
    line = bytearray()
    while not line.endswith(b"\n"):  # not with `sys.stdin`, which would read ahead
        line += os.read(0, 65536)
    order: dict[str, Any] = json.loads(line)
    set_limits(order["limits"])
    return order


def take_channel() -> tuple[TextIO, TextIO]:
    """The lines from and to the outside; what the code prints or reads goes nowhere."""
    lines_in, lines_out = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return lines_in, lines_out
