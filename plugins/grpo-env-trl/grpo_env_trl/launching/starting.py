"""Starts the processes of a plan as torchrun would, each with its number and the place where they meet."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from grpo_env_sdk.ext import own_descriptor
from grpo_env_trl.launching.attached import VARIABLE
from grpo_env_trl.launching.plan import LaunchPlan

ON_CPU = {"ACCELERATE_USE_CPU": "true", "ACCELERATE_MIXED_PRECISION": "no"}
"""The variables with which processes train together on the CPU."""


@dataclass(frozen=True)
class Started:
    """A process of the training on this machine; `line` is the socket to it."""

    rank: int
    process: "subprocess.Popen[bytes]"
    line: socket.socket
    out: IO[bytes] | None = None
    """What it printed; None for the first, which prints where this command prints."""
    told: IO[bytes] | None = None


def gpu_count() -> int:
    """How many GPUs this machine has for processes of their own."""
    import torch

    found = torch.accelerator.current_accelerator()
    return 0 if found is None or found.type == "mps" else torch.accelerator.device_count()


def start_all(plan: LaunchPlan, argv: Sequence[str], port: int) -> list[Started]:
    """The processes of this machine, which meet at `port`."""
    common = environ_of(plan, port)
    return [_started(plan, local, argv, common) for local in range(plan.local)]


def environ_of(plan: LaunchPlan, port: int) -> dict[str, str]:
    """What all processes of this machine have in common."""
    threads = max(1, (os.cpu_count() or 1) // plan.local)
    # accelerate's barrier names a GPU for each process, also on the CPU, and fails where there are fewer
    cpu = {**ON_CPU, "CUDA_VISIBLE_DEVICES": ""}
    config = plan.accelerate
    return {
        "OMP_NUM_THREADS": str(threads), **os.environ,
        **(config.environ(plan.processes, plan.machines, plan.machine) if config else cpu),
        "WORLD_SIZE": str(plan.processes), "LOCAL_WORLD_SIZE": str(plan.local), "GROUP_RANK": str(plan.machine),
        "MASTER_ADDR": plan.address, "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0",  # this command has the store
    }  # fmt: skip


def _started(plan: LaunchPlan, local: int, argv: Sequence[str], common: Mapping[str, str]) -> Started:
    rank = plan.machine * plan.local + local
    ours, theirs = socket.socketpair()
    with theirs:
        own = {"RANK": str(rank), "LOCAL_RANK": str(local), VARIABLE: str(theirs.fileno())}
        out, told = (TemporaryFile(), TemporaryFile()) if rank else (None, None)  # noqa: SIM115  # until the end
        process = subprocess.Popen(
            [sys.executable, "-m", "grpo_env_sdk", "train", *argv], env={**common, **own},
            stdout=own_descriptor() if out is None else out, stderr=told,
            pass_fds=[theirs.fileno()], start_new_session=True,
        )  # fmt: skip
    return Started(rank, process, ours, out, told)
