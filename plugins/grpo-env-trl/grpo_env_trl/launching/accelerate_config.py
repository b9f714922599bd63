"""A config of accelerate, ready or from a file, and the environment variables that its launcher makes of it."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, did_you_mean, one_line

READY = {"ddp": "multi_gpu", "zero2": "zero2", "zero3": "zero3", "fsdp2": "fsdp2"}
"""The names of ready configs, and of the files of TRL that they are."""
_SHARDING = ("DEEPSPEED", "FSDP")
_KNOWN = ("NO", "MULTI_CPU", "MULTI_GPU", "MULTI_XPU", "MULTI_NPU", "MULTI_HPU", *_SHARDING)


@dataclass(frozen=True)
class AccelerateConfig:
    """What the launch needs to know of a config; numbers are None where the file leaves them open."""

    name: str
    path: Path
    kind: str
    processes: int | None = None
    machines: int = 1
    machine: int | None = None
    address: str | None = None
    port: int | None = None
    gpu_ids: tuple[str, ...] = ()
    stage: int = 0
    """What the processes share, as ZeRO counts it: 1 the optimizer, 2 also gradients, 3 also weights, as FSDP does."""

    @property
    def shards(self) -> bool:
        """Whether the processes share one copy of the model or its optimizer, which needs GPUs."""
        return self.kind in _SHARDING

    def environ(self, processes: int, machines: int, machine: int) -> dict[str, str]:
        """The variables that accelerate's launcher sets for this config, apart from those that number a process."""
        from accelerate.commands.launch import _validate_launch_command, launch_command_parser
        from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env

        words = {
            "config_file": self.path, "num_processes": processes, "num_machines": machines, "machine_rank": machine,
            "main_process_ip": "127.0.0.1", "main_process_port": 0,
        }  # fmt: skip
        flags = [word for name, value in words.items() for word in (f"--{name}", str(value))]
        if self.name in READY:
            flags += ["--mixed_precision", "no"]  # --bf16 and --fp16 say it
        try:
            args, defaults, precise = _validate_launch_command(launch_command_parser().parse_args([*flags, "grpo-env"]))
            if self.kind == "DEEPSPEED":
                told = [*defaults.deepspeed_config, *(["mixed_precision"] if precise else [])]
                args.deepspeed_fields_from_accelerate_config = ",".join(told)
                args.deepspeed_multinode_launcher = "standard"
                made = prepare_deepspeed_cmd_env(args)[1]
            else:
                made = prepare_multi_gpu_env(args)
        except Exception as exc:  # of accelerate, about the file
            raise _rejected(self.name, exc) from exc
        return {name: value for name, value in made.items() if os.environ.get(name) != value}


def read_config(name: str | None, to_run: bool = True) -> AccelerateConfig:
    """The config of a ready name or of a file; None is `ddp`. Raises where it cannot be used, or run here."""
    name = name or "ddp"
    ready = name in READY
    path = file_of(name)
    found = _loaded(name, path)
    kind = str(getattr(found.distributed_type, "value", found.distributed_type))
    if kind not in _KNOWN:
        raise UsageError(
            f"--accelerate-config {name} has distributed_type {kind}.", "Use MULTI_GPU, DEEPSPEED or FSDP."
        )
    if to_run and kind == "DEEPSPEED" and find_spec("deepspeed") is None:
        raise UsageError(
            f"--accelerate-config {name} needs DeepSpeed, which is not installed.", "pip install deepspeed"
        )
    stage = int((found.deepspeed_config or {}).get("zero_stage", 2)) if kind == "DEEPSPEED" else 3 * (kind == "FSDP")
    if ready:
        return AccelerateConfig(name, path, kind, stage=stage)
    several = found.num_machines > 1
    ids = found.gpu_ids if found.gpu_ids not in (None, "all") else ""
    return AccelerateConfig(
        name, path, kind, found.num_processes if found.num_processes and found.num_processes > 0 else None,
        found.num_machines, found.machine_rank if several else None, found.main_process_ip, found.main_process_port,
        tuple(filter(None, str(ids).split(","))), stage,
    )  # fmt: skip


def file_of(name: str) -> Path:
    """The file of a config; raises where there is none."""
    path = _ready_file(READY[name]) if name in READY else Path(name)
    if not path.is_file():
        raise UsageError(
            f"--accelerate-config {name}: there is no such file.",
            did_you_mean(name, READY) or f"Give {', '.join(READY)}, or a file that `accelerate config` wrote.",
        )
    return path


def _loaded(name: str, path: Path) -> Any:
    from accelerate.commands.config.config_args import load_config_from_file

    try:
        found = load_config_from_file(str(path))
    except (AttributeError, TypeError) as exc:
        raise UsageError(
            f"--accelerate-config {name} is no config of accelerate for this machine: {one_line(exc).rstrip('.')}.",
            "Let `accelerate config` write one, with compute_environment: LOCAL_MACHINE.",
        ) from exc
    except Exception as exc:  # of accelerate and its parsers
        raise _rejected(name, exc) from exc
    if not hasattr(found, "num_machines"):
        raise UsageError(f"--accelerate-config {name} is not for this machine.", "compute_environment: LOCAL_MACHINE")
    for field in ("num_processes", "num_machines", "machine_rank", "main_process_port"):
        value = getattr(found, field)
        if value is not None and not isinstance(value, int):
            raise UsageError(f"--accelerate-config {name} has {field}: {value!r}.", "Give a whole number.")
    return found


def _ready_file(name: str) -> Path:
    spec = find_spec("trl")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "accelerate_configs" / f"{name}.yaml"


def _rejected(name: str, exc: Exception) -> UsageError:
    return UsageError(
        f"--accelerate-config {name} is refused by accelerate: {one_line(exc).rstrip('.')}.",
        f"Give {', '.join(READY)}, or a file that `accelerate config` wrote.",
    )
