"""Where a training would run: how many processes share its model how, and what this machine cannot rehearse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.launching.accelerate_config import read_config
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.batch_sizes import all_values, check_sizes
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.train_settings import LAUNCH
from grpo_env_trl.setup.arguments import default_arguments

_ONLY_GPU = {"grpo": ("bf16", "fp16"), "model_config": ("load_in_4bit", "load_in_8bit")}
"""Settings that need a GPU, of which a machine without one can only compute the memory."""
_SHARING = ("deepspeed", "fsdp")


@dataclass(frozen=True)
class Placement:
    """The processes of a training, and the settings with which one of them can be tried here."""

    processes: int
    local: int
    """How many of them are on one machine."""
    stage: int
    """What they share, as ZeRO counts it; 3 is also FSDP."""
    settings: TrainSettings
    missing: Mapping[str, Mapping[str, Any]]
    """What is set and needs a GPU, where there is none."""
    zero_3: bool = False
    """Whether DeepSpeed has a part of each weight in every process."""
    servers: int = 0
    """GPUs of vLLM servers beside the processes."""

    @property
    def served(self) -> bool:
        """Whether vLLM servers sample."""
        grpo = self.settings.grpo
        return self.settings.trainer == "async" or (bool(grpo.get("use_vllm")) and grpo.get("vllm_mode") == "server")

    @property
    def missing_flags(self) -> str:
        """The flags that need a GPU."""
        names = [name for part in self.missing.values() for name in part]
        return ", ".join(map(flag_of, names))


def placement_of(settings: TrainSettings, gpu_count: Callable[[], int]) -> Placement:
    """The processes that `train` would start with these settings, and one of them that plans."""
    config = read_config(settings.accelerate_config, to_run=False)
    gpus = 0 if settings.is_on_cpu else gpu_count()
    served = settings.vllm_server_gpus or 0
    launched = settings.accelerate_config is not None or bool(served)
    processes = settings.num_processes or config.processes or (max(1, gpus - served) if launched else 1)
    machines = settings.num_machines or config.machines
    if processes % machines:
        raise UsageError(
            f"{processes} processes cannot be shared evenly by {machines} machines.",
            "--num-processes counts those of all machines.",
        )
    stage = max(config.stage, _stage_of(settings.grpo))
    missing = {} if gpus else {part: _set(getattr(settings, part), names) for part, names in _ONLY_GPU.items()}
    missing = {part: found for part, found in missing.items() if found}
    check_sizes(settings.grpo, default_arguments(settings.model is None), processes)
    alone = _alone(settings, processes, missing)
    own = not settings.grpo.get("fsdp") and _stage_of(settings.grpo) == 3
    zero_3 = own or (config.kind == "DEEPSPEED" and config.stage == 3)
    return Placement(processes, processes // machines, stage, alone, missing, zero_3, served)


def _alone(settings: TrainSettings, processes: int, missing: Mapping[str, Mapping[str, Any]]) -> TrainSettings:
    """The settings for one process of this machine, whose generation batch is that of all processes."""
    grpo = {
        name: value
        for name, value in settings.grpo.items()
        if name not in _SHARING and name not in missing.get("grpo", {})
    }
    if processes > 1 and settings.trainer != "async" and not grpo.get("generation_batch_size"):
        sizes = all_values(grpo, default_arguments(settings.model is None))
        steps = grpo.pop("steps_per_generation", None) or sizes["gradient_accumulation_steps"]
        grpo["generation_batch_size"] = processes * steps * sizes["per_device_train_batch_size"]
    grpo |= {"push_to_hub": False, "report_to": "none", "learning_rate": 0.0}
    lacking = missing.get("model_config", {})
    model_config = {name: value for name, value in settings.model_config.items() if name not in lacking}
    return replace(settings, grpo=grpo, model_config=model_config, vllm_server_gpus=None, **dict.fromkeys(LAUNCH, None))  # type: ignore[arg-type]  # all of them may be None


def _set(given: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name)}


def _stage_of(grpo: Mapping[str, Any]) -> int:
    """What `--fsdp` or the config of `--deepspeed` share."""
    if grpo.get("fsdp"):
        return 3
    return int((grpo.get("deepspeed") or {}).get("zero_optimization", {}).get("stage", 0))
