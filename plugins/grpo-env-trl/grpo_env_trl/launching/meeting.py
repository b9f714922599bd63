"""Where the machines of a training meet: the store of torch.distributed, kept by the command on the first machine."""

import time
from contextlib import suppress
from datetime import timedelta
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.launching.plan import LaunchPlan

_PATIENCE = 600.0
"""Seconds in which every machine has to come."""


class Meeting:
    """The store of all processes, and what the machines say to each other there."""

    def __init__(self, plan: LaunchPlan) -> None:
        from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch says so in its docs

        self._plan = plan
        self._look_again = 0.0
        self.is_lost = False
        """Whether the first machine cannot be reached any more."""
        first = plan.machine == 0
        try:
            self._store: Any = TCPStore(
                plan.address, plan.port, is_master=first, wait_for_workers=False, timeout=timedelta(seconds=_PATIENCE)
            )
        except Exception as exc:  # of torch, which has several
            where = f"{plan.address}:{plan.port}"
            what = f"The processes cannot meet at {where}" if first else f"Nobody answers at {where}"
            hint = "Is it another one's? Give another --main-process-port." if first else "Start the first machine too."
            raise UsageError(f"{what}: {one_line(exc).rstrip('.'):.200}.", hint) from exc
        self.port = int(self._store.port)

    def wait_for_all(self) -> None:
        """Return when every machine is there; raises where they disagree."""
        plan = self._plan
        ours = f"{plan.processes} processes on {plan.machines} machines"
        if plan.step:
            ours += f" of Slurm's step {plan.step.name}"
        self._store.set(f"machine/{plan.machine}", ours)
        for machine in range(plan.machines):
            try:
                theirs = self._store.get(f"machine/{machine}").decode()
            except Exception as exc:  # of torch: a time-out
                raise UsageError(
                    f"Machine {machine} of {plan.machines} has not come within {_PATIENCE:.0f} seconds.",
                    "Start this command on every machine, each with its --machine-rank.",
                ) from exc
            if theirs != ours:
                raise UsageError(
                    f"Machine {machine} asks for {theirs}, and machine {plan.machine} for {ours}.",
                    "Give all of them the same --num-processes and --num-machines.",
                )

    def fail(self, why: str) -> None:
        """Tell the other machines that the training failed here."""
        if self._plan.machines > 1:
            self._store.set("failed", why)

    def failure(self) -> str | None:
        """What another machine said of its failure."""
        if self._plan.machines == 1 or time.monotonic() < self._look_again:
            return None
        self._look_again = time.monotonic() + 1
        try:
            return self._store.get("failed").decode() if self._store.check(["failed"]) else None
        except Exception:  # of torch: the first machine is gone
            self.is_lost = True
            return "the first machine cannot be reached any more"

    def leave(self, patience: float) -> None:
        """The processes of this machine are over; the first one keeps the store until all have left, or for so long."""
        plan = self._plan
        if plan.machines == 1:
            return
        end = time.monotonic() + patience
        with suppress(Exception):  # as above
            self._store.add("left", 1)
            while plan.machine == 0 and self._store.add("left", 0) < plan.machines and time.monotonic() < end:
                time.sleep(0.1)
