"""The two places that settings come from: the command line, and a file with the same names."""

import argparse
import re
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType
from typing import Any, Literal

from grpo_env_sdk.ext import UsageError, did_you_mean, read_file
from grpo_env_trl.env_weights import EnvShare, check_shares, share_of, shares_in
from grpo_env_trl.settings.before_import import (
    common_switches,
    refuse_misspelt,
    refuse_value,
    refuse_values,
    refuse_words_after_switches,
)
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.fields import Field, Part, trainer_fields
from grpo_env_trl.settings.flags import own_actions, train_parser
from grpo_env_trl.settings.other_names import ALIASES, refuse_removed
from grpo_env_trl.settings.row_values import CHOICES, RATE, row_choice
from grpo_env_trl.settings.train_settings import LAUNCH
from grpo_env_trl.settings.values import SWITCH_WORDS, mapping_of, value_of


@dataclass(frozen=True)
class SettingValue:
    """The value of a setting, the flag or key that gave it, its source, and the part of `TrainSettings` it is in."""

    setting: str
    value: Any
    written: str
    source: str
    part: Literal["own"] | Part = "own"


def merge_values(sayings: Iterable[SettingValue]) -> dict[str, SettingValue]:
    """One value for each setting; an error where two names of one setting have different values."""
    found: dict[str, SettingValue] = {}
    for value in sayings:
        before = found.setdefault(value.setting, value)
        if before.value != value.value:
            raise UsageError(
                f"{before.written} is {_shown(before.value)}, and {value.written} is {_shown(value.value)}.",
                "They are the same setting: keep one of them.",
            )
    return found


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else repr(value)


_NEGATIVE = re.compile(r"-\.?\d")


def normalized(words: Sequence[str], switches: Mapping[str, Container[str]]) -> list[str]:
    """Flags with hyphens, and an explicit value for every switch: `--bf16` and `--bf16 true` become `--bf16=true`.

    Args:
        switches: The flags that alone mean true, each with the words that it takes beside true and false.
    """
    rest, found = deque(words), []
    while rest:
        word = rest.popleft()
        if not word.startswith("--"):
            found.append(word)
            continue
        written, equals, value = word.partition("=")
        flag = written.replace("_", "-")
        positive = f"--{flag.removeprefix('--no-')}"
        if flag in switches and not equals:
            given = bool(rest) and (rest[0].lower() in SWITCH_WORDS or rest[0] in switches[flag])
            found.append(f"{flag}={rest.popleft() if given else 'true'}")
        elif flag.startswith("--no-") and positive in switches and not equals:
            found.append(f"{positive}=false")
        elif not equals and rest and _NEGATIVE.match(rest[0]):  # argparse would read -1e-5 as a flag
            found.append(f"{flag}={rest.popleft()}")
        else:
            found.append(f"{flag}{equals}{value}")
    return found


def names_of(words: Sequence[str]) -> list[str]:
    """The names of all long flags among the words, with underscores."""
    flags = [word.partition("=")[0].replace("-", "_").removeprefix("__") for word in words if word.startswith("--")]
    return list(dict.fromkeys(flags))


LISTS = ("reward_func", "reward_model", "vllm_server_url")
"""Our own settings that have several values."""


def words_of(value: Any) -> tuple[str, ...]:
    """The words of one or several."""
    return (value,) if isinstance(value, str) else tuple(value)


ENVS = "envs"
"""The setting of several environments; that of one is `env`."""
_NOT_IN_A_FILE = {"config", "set", "trust"}
_OF_MACHINES = {*LAUNCH} - {"num_processes", "accelerate_config"}
NOT_IN_A_PROGRAM = {*_NOT_IN_A_FILE, "help_all", *_OF_MACHINES}


def values_from_command_line(argv: Sequence[str]) -> list[SettingValue]:
    """Every setting that the words set."""
    names = names_of(argv)
    refuse_misspelt(names)
    refuse_words_after_switches(argv)
    refuse_values(normalized(argv, common_switches()))
    fields = _fields_for(names)
    for name in names:
        refuse_removed(name, flag_of(name), fields)
    switches = {
        flag_of(name): fields[ALIASES.get(name, name)].choices
        for name in [*fields, *ALIASES]
        if _is_switch(name, fields)
    }
    given = vars(train_parser(bool(fields)).parse_args(normalized(argv, switches)))
    pairs = given.pop("set", [])
    del given["argv"]
    own = own_actions()
    found = _environments([share_of(word) for word in given.pop("env", [])], "ENV", "flag")
    for name, written in given.items():
        setting, where = ALIASES.get(name, name), flag_of(name)
        if setting in own:
            value = mapping_of(written, where) if setting == "env_config" else written
            found.append(SettingValue(setting, words_of(value) if setting in LISTS else value, where, "flag"))
        else:
            found.append(_said(fields[setting], written, where, "flag"))
    return found + [_value_from_set(pair, fields) for pair in pairs]


def values_from_arguments(given: Mapping[str, Any]) -> list[SettingValue]:
    """Every setting that the keyword arguments of a program set, under any of its names; TRL checks its objects."""
    fields, own = trainer_fields(), {name for name in own_actions() if name not in NOT_IN_A_PROGRAM}
    found = []
    for name, value in given.items():
        setting = ALIASES.get(name, name)
        if setting == ENVS:
            found += _environments(shares_in(value), name, "argument")
        elif setting in own:
            if setting == "env_config" and value is not None:
                value = mapping_of(value, name)
            elif setting in LISTS and value is not None:
                value = words_of(value)
            elif setting in CHOICES and value is not None:
                value = row_choice(setting, value, name)
            found += [SettingValue(setting, value, name, "argument")] if value is not None else []
        elif setting in fields:
            found += _given(fields[setting], value, name)
        elif name in _OF_MACHINES:
            command = f"grpo-env train {given.get('env') or 'ENV'} {flag_of(name)} {value}"
            raise UsageError(f"{name}: train() trains on one machine.", f"In a shell or after !: {command}")
        else:
            refuse_removed(name, name, fields)
            hint = did_you_mean(name, [*own, *fields, *ALIASES]) or "`grpo-env train --help-all` shows all of them."
            raise UsageError(f"train has no setting named {name!r}.", hint)
    return found


def _given(field: Field, value: Any, name: str) -> list[SettingValue]:
    """A field of TRL's that a program sets; None leaves out what cannot be None, and an object stays as it is."""
    if value is None and NoneType not in field.kinds:
        return []
    if isinstance(value, str | int | float) and not isinstance(value, Enum):
        return [_said(field, value, name, "argument")]
    return [SettingValue(field.name, value, name, "argument", field.part)]


def values_from_file(path: str) -> list[SettingValue]:
    """Every setting that a TOML or YAML file sets, under any of its names."""
    written = [(str(key).replace("-", "_"), f"{path}: {key}", value) for key, value in read_file(path).items()]
    for name, where, value in written:
        refuse_value(name, value, where)
    fields = _fields_for([name for name, _, _ in written])
    own = {name: action for name, action in own_actions().items() if name not in _NOT_IN_A_FILE}
    found = []
    for name, where, value in written:
        setting = ALIASES.get(name, name)
        if setting == ENVS or (setting == "env" and isinstance(value, list)):
            found += _environments(_shares_in_file(value, where), where, f"file {path}")
        elif setting in fields and setting not in own:
            found.append(_said(fields[setting], value, where, f"file {path}"))
        elif setting not in own:
            refuse_removed(name, where, fields)
            hint = did_you_mean(name, [*own, *fields, *ALIASES])
            raise UsageError(f"{where} is not a setting.", hint or "`grpo-env train --help-all` shows all of them.")
        elif value is not None:
            found.append(SettingValue(setting, _own_value(own[setting], value, where), where, f"file {path}"))
    return found


def _environments(shares: Sequence[EnvShare], where: str, source: str) -> list[SettingValue]:
    """The setting of these environments: `env` for one, `envs` for several."""
    if len(shares) == 1 and isinstance(shares[0].env, str):
        config = [SettingValue("env_config", dict(shares[0].config), where, source)] if shares[0].config else []
        return [SettingValue("env", shares[0].env, where, source), *config]
    return [SettingValue(ENVS, check_shares(shares), where, source)] if shares else []


def _shares_in_file(value: Any, where: str) -> Sequence[EnvShare]:
    words = isinstance(value, list) and all(isinstance(word, str) for word in value)
    if not (words or isinstance(value, dict)):
        raise UsageError(f"{where} is {value!r:.80}.", "Give names with weights, like {hotel-v1: 2, arithmetic-v1: 1}.")
    return shares_in(value)


def _fields_for(names: Sequence[str]) -> Mapping[str, Field]:
    """TRL's fields; none where every name is ours, so that TRL is not imported."""
    own = own_actions()
    return (
        trainer_fields() if any(ALIASES.get(name, name) not in {*own, ENVS} or name == "set" for name in names) else {}
    )


def _is_switch(name: str, fields: Mapping[str, Field]) -> bool:
    setting = ALIASES.get(name, name)
    return setting in fields and fields[setting].is_switch


def _said(field: Field, written: Any, where: str, source: str) -> SettingValue:
    return SettingValue(field.name, value_of(field, written, where), where, source, field.part)


def _value_from_set(pair: str, fields: Mapping[str, Field]) -> SettingValue:
    """The setting in `--set key=value`."""
    key, equals, written = pair.partition("=")
    name = key.strip().replace("-", "_")
    setting = ALIASES.get(name, name)
    where = f"--set {key}"
    if not equals:
        raise UsageError(f"{where} has no value.", "Example: --set learning_rate=1e-5")
    if setting in own_actions():
        raise UsageError(f"{where} is not a field of TRL.", f"Use the flag {flag_of(setting)}.")
    if setting not in fields:
        refuse_removed(name, where, fields)
        hint = did_you_mean(name, fields)
        raise UsageError(f"{where} is not a field of TRL's configs.", hint or "`grpo-env train --help-all` shows all.")
    return _said(fields[setting], written, where, "flag")


def _own_value(action: argparse.Action, value: Any, where: str) -> Any:
    """A value from a file for one of our own settings, checked like the flag."""
    if action.dest == "env_config":
        return mapping_of(value, where)
    if action.dest in LISTS:
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(word, str) for word in value)):
            return words_of(value)
        raise UsageError(f"{where} is {value!r:.80}.", "Give a text, or a list of texts.")
    if action.dest == RATE or (action.dest in CHOICES and isinstance(value, list)):
        return row_choice(action.dest, value, where)
    if action.nargs == 0:
        if isinstance(value, bool):
            return value
        raise UsageError(f"{where} is {value!r}.", "Give true or false.")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{where} is {value!r:.80}.", "Give text or a number.")
    try:
        typed = action.type(str(value)) if callable(action.type) else str(value)
    except argparse.ArgumentTypeError as exc:
        raise UsageError(f"{where}: {exc}.", "Correct it in the file.") from exc
    if action.choices is not None and typed not in action.choices:
        raise UsageError(f"{where} is {typed!r}.", f"Give one of {', '.join(action.choices)}.")
    return typed
