"""The step of Slurm in which srun started this command, with others like it on other machines."""

from collections.abc import Mapping
from dataclasses import dataclass

_FIRST_PORT, _PORTS = 20000, 10000
"""Below those that Linux gives to outgoing connections."""


@dataclass(frozen=True)
class SlurmStep:
    """The tasks of one srun, and which of them this is."""

    tasks: int = 1
    task: int | None = None
    nodes: int = 1
    name: str = ""
    """Job and step, as `sacct` shows them: 17.0."""

    @property
    def port(self) -> int:
        """Where the tasks meet; other jobs on the same machines meet elsewhere."""
        job, _, step = self.name.partition(".")
        return _FIRST_PORT + (int(job) * 16 + int(step)) % _PORTS

    def is_one_of(self, machines: int) -> bool:
        """Whether this task is one of so many machines: srun started one for each."""
        return self.tasks == machines > 1 and self.task is not None


def slurm_step(environ: Mapping[str, str]) -> SlurmStep:
    """What srun says in its variables; one task where it started none or one."""
    tasks, task, nodes, job, step = (
        int(said) if (said := environ.get(f"SLURM_{name}", "")).isdecimal() else None
        for name in ("STEP_NUM_TASKS", "PROCID", "STEP_NUM_NODES", "JOB_ID", "STEP_ID")
    )
    return SlurmStep(tasks or 1, task, nodes or tasks or 1, f"{job or 0}.{step or 0}")
