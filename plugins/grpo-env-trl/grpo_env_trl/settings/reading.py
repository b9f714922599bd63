"""From a command line, and the config file that it names, to `TrainSettings`."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import UsageError, did_you_mean, pool_flags
from grpo_env_trl.env_weights import with_configs
from grpo_env_trl.settings.flags import TRAINERS, common_help, full_help
from grpo_env_trl.settings.layers import (
    ENVS,
    SettingValue,
    merge_values,
    values_from_arguments,
    values_from_command_line,
    values_from_file,
)
from grpo_env_trl.settings.other_names import DEFAULTS
from grpo_env_trl.settings.row_choice import check_list_of_file, check_row_choice, without_other_rows
from grpo_env_trl.settings.servers import with_servers
from grpo_env_trl.settings.train_settings import TrainSettings


def read_settings(argv: Sequence[str]) -> TrainSettings:
    """The settings; flags win over the file, and both over the defaults of `--rl-env-module`."""
    for flag, text in (("--help-all", full_help), ("--help", common_help), ("-h", common_help)):
        if flag in argv:
            print(text(), end="")
            raise SystemExit(0)
    flags = merge_values(values_from_command_line(argv))
    file = flags.pop("config", None)
    in_file = merge_values(values_from_file(file.value)) if file else {}
    in_file = without_other_rows(in_file, flags)
    check_list_of_file(in_file, flags)
    return _checked({**_without_other_environments(in_file, flags), **_with_configs_of(in_file, flags)})


def settings_from_arguments(
    given: Mapping[str, Any], with_env: bool, with_rewards: bool = False, config: str | None = None
) -> TrainSettings:
    """The settings of a program's keyword arguments, which win over `config`, that of a run that goes on.

    `with_env` and `with_rewards` say that it has an environment and reward functions as objects.
    """
    asked = merge_values(values_from_arguments(given))
    said = next((asked[name] for name in ("env", ENVS, "rl_env_module", "rl_env_class") if name in asked), None)
    if said and with_env:
        raise UsageError(f"An environment is given twice: also as {said.written}.", "Remove one of them.")
    objects = {*["env"] * with_env, *["reward_func", "reward_model"] * with_rewards}
    in_file = merge_values(values_from_file(config)) if config else {}
    in_file = _without_other_environments(in_file, {*asked, *objects})
    in_file = {name: value for name, value in in_file.items() if name not in objects}
    in_file = without_other_rows(in_file, asked)
    asked = {**in_file, **_with_configs_of(in_file, asked)}
    return _settings(_without_dialect(asked)) if with_env else _checked(asked)


def _checked(given: dict[str, SettingValue]) -> TrainSettings:
    asked = _without_dialect(given)
    if not asked.keys() & {"env", ENVS, "resume"}:
        raise UsageError("train needs the name of an environment.", "Give it first: grpo-env train hotel-v1")
    _warn_of_idle_flags(asked)
    return _settings(asked)


def _without_dialect(asked: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """The settings, with those that only `--rl-env-module` scripts use turned into ours."""
    module, name = asked.pop("rl_env_module", None), asked.pop("rl_env_class", None)
    if not module and not name:
        return asked
    if not module or not name:
        missing = "--rl-env-class" if module else "--rl-env-module"
        there = " ".join(f"{said.written} {said.value}" for said in (module, name) if said)
        raise UsageError(f"{there} needs {missing} too.", "Give both, or MODULE:CLASS as ENV.")
    if said := asked.get("env") or asked.get(ENVS):
        there = said.value if said.setting == "env" else said.written
        raise UsageError(
            f"{there} and {module.written} {module.value} both name an environment.", "Remove one of them."
        )
    env = SettingValue("env", f"{module.value}:{name.value}", module.written, module.source)
    usual = {key: SettingValue(key, value, key, "dialect", "grpo") for key, value in DEFAULTS.items()}
    return {**usual, **asked, "env": env}


def _warn_of_idle_flags(asked: dict[str, SettingValue]) -> None:
    """Warn of LoRA settings that have no effect without `--peft`."""
    idle = [value.written for name, value in asked.items() if name.startswith("lora_")]
    if idle and "use_peft" not in asked:
        warnings.warn(
            f"{', '.join(idle)} without --peft has no effect: no adapter is trained.", GrpoEnvWarning, stacklevel=3
        )


def _check_trainer(asked: Mapping[str, SettingValue]) -> None:
    """Raise for a trainer that there is not, and for settings of one that is not used."""
    trainer = asked.get("trainer")
    if trainer and trainer.value not in TRAINERS:
        hint = did_you_mean(str(trainer.value), TRAINERS) or f"There are {' and '.join(TRAINERS)}."
        raise UsageError(f"{trainer.written} is {trainer.value!r}.", hint)
    only = next((value.written for value in asked.values() if value.part == "asynchronous"), None)
    if only and not (trainer and trainer.value == "async"):
        raise UsageError(f"{only} is a setting of the asynchronous trainer.", "Add --trainer async.")


def _check_plan(asked: Mapping[str, SettingValue]) -> None:
    """Raise for what has no meaning beside `--plan`."""
    plan = asked.get("plan")
    if not plan or not plan.value:
        return
    why = {
        "resume": "a plan is for a training from its beginning", "dry_run": "each of them stops by itself",
        "print_config": "each of them stops by itself",
    }  # fmt: skip
    given = [asked[name] for name in why if name in asked and asked[name].value is not False]
    if given:
        raise UsageError(
            f"{plan.written} and {given[0].written} exclude each other: {why[given[0].setting]}.", "Leave one out."
        )


def _without_other_environments(in_file: dict[str, SettingValue], flags: Collection[str]) -> dict[str, SettingValue]:
    """The settings of the file, without its environments where flags name some."""
    named = {"env", ENVS} if {"env", ENVS} & {*flags} else set()
    return {name: value for name, value in in_file.items() if name not in named}


def _with_configs_of(in_file: Mapping[str, SettingValue], flags: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """The flags, where environments of the file keep their config, and those of a resumed run their order."""
    if ENVS not in flags or ENVS not in in_file:
        return flags
    configs = {share.name: share.config for share in in_file[ENVS].value}
    kept = [replace(share, config=configs.get(share.name, {})) for share in flags[ENVS].value]
    if "resume" in flags and {share.name for share in kept} == configs.keys():
        kept.sort(key=lambda share: [*configs].index(share.name))
    return {**flags, ENVS: replace(flags[ENVS], value=tuple(kept))}


def _settings(asked: dict[str, SettingValue]) -> TrainSettings:
    _check_trainer(asked)
    _check_plan(asked)
    check_row_choice(asked)
    asked = with_servers(asked)
    if ENVS in asked and (configs := asked.pop("env_config", None)):
        asked[ENVS] = replace(asked[ENVS], value=tuple(with_configs(asked[ENVS].value, configs.value)))
    parts: dict[str, dict[str, Any]] = {"own": {}, "grpo": {}, "model_config": {}, "asynchronous": {}}
    for name, value in asked.items():
        parts[value.part][name] = value.value
    options = [flag.option for flag in pool_flags([field.name for field in fields(TrainSettings)])]
    of_pool = {name: parts["own"].pop(name) for name in options if name in parts["own"]}
    sources = {name: value.source for name, value in asked.items()}
    return TrainSettings(
        **parts["own"], env_pool_options=of_pool, grpo=parts["grpo"], model_config=parts["model_config"],
        asynchronous=parts["asynchronous"], sources=sources,
    )  # fmt: skip
