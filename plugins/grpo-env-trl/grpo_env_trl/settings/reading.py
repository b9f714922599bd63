"""From the words of a command line, and the file it names, to `TrainSettings`."""

import warnings
from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_trl.settings.compat_flags import DEFAULTS, NO_SERVER
from grpo_env_trl.settings.flags import common_help, full_help
from grpo_env_trl.settings.layers import said_in_file, said_on_command_line
from grpo_env_trl.settings.setting_value import Said, settle
from grpo_env_trl.settings.train_settings import TrainSettings


def read_settings(argv: Sequence[str]) -> TrainSettings:
    """What the words ask for: flags over the file over the dialect's defaults."""
    for flag, text in (("--help-all", full_help), ("--help", common_help), ("-h", common_help)):
        if flag in argv:
            print(text(), end="")
            raise SystemExit(0)
    flags = settle(said_on_command_line(argv))
    file = flags.pop("config", None)
    in_file = settle(said_in_file(file.value)) if file else {}
    asked = _without_dialect({**in_file, **flags})
    if "env" not in asked and "resume" not in asked:
        raise UsageError("train needs to know which environment.", "Name it first: grpo-env train hotel-v1")
    _warn_of_idle_flags(asked)
    return _settings(asked)


def _without_dialect(asked: dict[str, Said]) -> dict[str, Said]:
    """The settings with what only the other dialect has turned into ours."""
    module, name = asked.pop("rl_env_module", None), asked.pop("rl_env_class", None)
    trainer, gpus = asked.pop("trainer", None), asked.pop("vllm_server_gpus", None)
    if trainer and trainer.value != "grpo":
        raise UsageError(f"{trainer.written} is {trainer.value!r}.", "This command trains with grpo alone.")
    if gpus:
        warnings.warn(NO_SERVER, GrpoEnvWarning, stacklevel=4)
    if not module and not name:
        return asked
    if not module or not name:
        missing = "--rl-env-class" if module else "--rl-env-module"
        there = " ".join(f"{said.written} {said.value}" for said in (module, name) if said)
        raise UsageError(f"{there} stands without {missing}.", "Give both, or MODULE:CLASS in place of ENV.")
    if "env" in asked:
        raise UsageError(
            f"{asked['env'].value} and {module.written} {module.value} both name an environment.", "Leave one out."
        )
    env = Said("env", f"{module.value}:{name.value}", module.written, module.source)
    usual = {key: Said(key, value, key, "dialect", "grpo") for key, value in DEFAULTS.items()}
    return {**usual, **asked, "env": env}


def _warn_of_idle_flags(asked: dict[str, Said]) -> None:
    """Say which LoRA settings do nothing, because nobody asked for LoRA."""
    idle = [said.written for name, said in asked.items() if name.startswith("lora_")]
    if idle and "use_peft" not in asked:
        warnings.warn(f"{', '.join(idle)} without --peft: nothing is an adapter.", GrpoEnvWarning, stacklevel=3)


def _settings(asked: dict[str, Said]) -> TrainSettings:
    parts: dict[str, dict[str, Any]] = {"own": {}, "grpo": {}, "model_config": {}}
    for name, said in asked.items():
        parts[said.part][name] = said.value
    sources = {name: said.source for name, said in asked.items()}
    return TrainSettings(
        **parts["own"], grpo=parts["grpo"], model_config=parts["model_config"], sources=sources,
    )  # fmt: skip
