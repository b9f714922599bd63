"""Which processes a command starts, and every reason why it cannot start them."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.launching.accelerate_config import READY, AccelerateConfig, file_of, read_config
from grpo_env_trl.launching.attached import is_attached
from grpo_env_trl.launching.slurm_step import SlurmStep, slurm_step
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.train_settings import LAUNCH, TrainSettings

_PORT = 29500
_FEW, _A_CORE = 16, 4
"""On the CPU so many processes always start, and so many for each core."""
_OF_A_LAUNCHER = ("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""What torch.distributed wants beside WORLD_SIZE."""


@dataclass(frozen=True)
class LaunchPlan:
    """The processes of all machines, which of the machines this is, and where they meet."""

    processes: int
    machines: int = 1
    machine: int = 0
    address: str = "127.0.0.1"
    port: int = 0
    """Where the processes meet; 0 takes a free port."""
    step: SlurmStep | None = None
    """Where srun started this command on all machines, and prints in one place what they say."""
    accelerate: AccelerateConfig | None = None
    """None is plain data parallelism on the CPU."""

    @property
    def local(self) -> int:
        """How many of the processes are on this machine."""
        return self.processes // self.machines


def check_flags(given: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Raise for flags that give this machine no place among the others, before torch is imported for the rest.

    A file that they name may say more, so it is read first.
    """
    asked = {name: given[name] for name in LAUNCH if name in given}
    if is_attached() or "plan" in given:
        return
    settings = TrainSettings(**asked, sources=dict.fromkeys(asked, "flag"))
    _check_outside(settings, environ, [*asked])
    if settings.accelerate_config is not None:
        file_of(settings.accelerate_config)
    if not asked or "WORLD_SIZE" in environ or "config" in given or settings.accelerate_config not in (None, *READY):
        return
    processes = settings.num_processes or settings.num_machines or 1
    _placed(LaunchPlan(processes), settings, AccelerateConfig("ddp", Path(), "MULTI_GPU"), environ)


def launch_plan(settings: TrainSettings, environ: Mapping[str, str], gpu_count: Callable[[], int]) -> LaunchPlan | None:
    """The processes to start; None where this process trains by itself, or was started by a launcher."""
    asked = [name for name in LAUNCH if getattr(settings, name) is not None]
    if is_attached():
        return None
    _check_outside(settings, environ, asked)
    served = settings.vllm_server_gpus or 0
    if not (asked or served) or "WORLD_SIZE" in environ:
        return None
    config = read_config(settings.accelerate_config)
    gpus = gpu_count()
    cpu = settings.is_on_cpu or not gpus or config.kind == "MULTI_CPU"
    if served >= gpus > 0 or (cpu and not asked):
        return None  # the training itself refuses that
    if cpu and config.shards:
        where = "the training is on the CPU" if settings.is_on_cpu else "there is no GPU here"
        raise UsageError(
            f"--accelerate-config {config.name} spreads a model over GPUs, and {where}.",
            "Leave it out, or take ddp: each process then has the whole model.",
        )
    processes = settings.num_processes or config.processes or (0 if cpu else gpus - served)
    if not processes:
        raise UsageError(
            "How many processes shall train on the CPU?", "Say it, for all machines together: --num-processes 2"
        )
    plan = _placed(LaunchPlan(processes), settings, config, environ)
    if plan.processes == 1 and not config.shards:
        return None
    if cpu:
        _check_cores(plan)
        return plan
    _check_gpus(plan, (len(config.gpu_ids) if config.gpu_ids else gpus) - served, served)
    return replace(plan, accelerate=config)


def _check_cores(plan: LaunchPlan) -> None:
    """Raise where a machine is asked for far more processes than it has cores."""
    cores = os.cpu_count() or 1
    if plan.local > max(_FEW, _A_CORE * cores):
        raise UsageError(
            f"{plan.local} processes were asked for on a machine with {cores} core{'s' * (cores != 1)} and no GPU.",
            f"Give --num-processes {cores * plan.machines}, one for each core.",
        )


def _check_gpus(plan: LaunchPlan, there: int, served: int) -> None:
    """Raise where a machine has fewer GPUs than processes."""
    if plan.local > there:
        raise UsageError(
            f"{plan.local} processes were asked for on a machine with {there} GPU{'s' * (there != 1)}"
            f"{f' beside the {served} of --vllm-server-gpus' * bool(served)}.",
            f"Give --num-processes {there * plan.machines} or fewer, or train on the CPU: --use-cpu.",
        )
    if plan.step and plan.step.nodes < plan.machines:
        nodes = f"{plan.step.nodes} node{'s' * (plan.step.nodes != 1)}"
        raise UsageError(
            f"srun put {plan.step.tasks} tasks on {nodes}, where they would take the same GPUs.",
            f"Start one on each: srun --nodes={plan.machines} --ntasks-per-node=1",
        )


def _check_outside(settings: TrainSettings, environ: Mapping[str, str], asked: list[str]) -> None:
    """Raise where processes were started already: by a launcher that flags repeat, or by srun, each for itself."""
    step = slurm_step(environ)
    if world := environ.get("WORLD_SIZE"):
        _check_launcher(settings, environ, asked, world)
        if step.tasks > 1 and environ.get("GROUP_WORLD_SIZE") == "1":
            _refuse_tasks(step, "a launcher in each of them a training of its own", "--nnodes and --rdzv_endpoint")
    elif step.tasks > 1 and step.tasks != (settings.num_machines or 1):
        _refuse_tasks(
            step, "each would train on its own, into the same folder",
            "--num-processes, --num-machines and --main-process-ip",
        )  # fmt: skip


def _check_launcher(settings: TrainSettings, environ: Mapping[str, str], asked: list[str], world: str) -> None:
    """Raise where flags repeat what a launcher did, or the launcher's variables are not all there."""
    typed = [flag_of(name) for name in asked if settings.sources.get(name) == "flag"]
    if typed:
        raise UsageError(
            f"A launcher started {world} process{'es' * (world != '1')} already (WORLD_SIZE), and {typed[0]} "
            "asks for another launch.",
            f"Leave out {' '.join(typed)}, or start grpo-env without that launcher.",
        )
    missing = [name for name in _OF_A_LAUNCHER if name not in environ]
    if world != "1" and missing:
        raise UsageError(
            f"WORLD_SIZE is {world}, as a launcher sets it, without {', '.join(missing)}.",
            "unset WORLD_SIZE, or start grpo-env with torchrun or `accelerate launch`, which set all of them.",
        )


def _refuse_tasks(step: SlurmStep, what: str, flags: str) -> NoReturn:
    """Refuse tasks of srun that do not train together: all of them come here, and the first one says so."""
    if step.task:
        sys.exit(2)
    raise UsageError(
        f"srun started {step.tasks} tasks, and {what}.", f"Start one task on each machine, with {flags}: docs/scale.md"
    )


def _placed(
    plan: LaunchPlan, settings: TrainSettings, config: AccelerateConfig, environ: Mapping[str, str]
) -> LaunchPlan:
    """The plan with the place of this machine among the others."""
    machines = settings.num_machines or config.machines
    machine = config.machine if settings.machine_rank is None else settings.machine_rank
    step = found if (found := slurm_step(environ)).is_one_of(machines) else None
    if machine is None and step:
        machine = step.task
    if plan.processes % machines:
        raise UsageError(
            f"{plan.processes} processes cannot be shared evenly by {machines} machines.",
            "--num-processes counts those of all machines.",
        )
    if machines > 1 and machine is None:
        raise UsageError(
            f"--num-machines {machines} needs --machine-rank: which of them this is.", "Give 0 on the first one."
        )
    if not 0 <= (machine or 0) < machines:
        several = (
            f"Give a number from 0 to {machines - 1}." if machines > 1 else "Say how many there are: --num-machines 2"
        )
        raise UsageError(f"--machine-rank is {machine}, of {machines}.", several)
    address = settings.main_process_ip or config.address
    if machines > 1 and not address:
        raise UsageError(
            f"--num-machines {machines} needs --main-process-ip: the address of the first machine.",
            "Give the same on every machine.",
        )
    port = settings.main_process_port or config.port or (step.port if step else _PORT if machines > 1 else 0)
    if not 0 <= port < 65536:
        raise UsageError(f"--main-process-port is {port}.", "Give a port from 1 to 65535.")
    return replace(
        plan, machines=machines, machine=machine or 0, step=step, port=port,
        address=(machines > 1 and address) or "127.0.0.1",
    )  # fmt: skip
