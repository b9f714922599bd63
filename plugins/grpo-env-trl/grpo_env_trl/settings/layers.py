"""The layers that settings come from: the command line, and a file with the same names."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.cli.config_file import read_file
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_trl.settings.compat_flags import ALIASES
from grpo_env_trl.settings.fields import Field, trainer_fields
from grpo_env_trl.settings.flags import own_actions, train_parser
from grpo_env_trl.settings.normalize import names_of, spelled
from grpo_env_trl.settings.removed_options import refuse_dropped
from grpo_env_trl.settings.setting_value import Said
from grpo_env_trl.settings.values import mapping_of, value_of

_NOT_IN_A_FILE = {"config", "set"}


def said_on_command_line(argv: Sequence[str]) -> list[Said]:
    """Every setting that the words give a value."""
    names = names_of(argv)
    fields = _fields_for(names)
    for name in names:
        refuse_dropped(name, _flag(name), fields)
    switches = {_flag(name) for name in [*fields, *ALIASES] if _is_switch(name, fields)}
    given = vars(train_parser(bool(fields)).parse_args(spelled(argv, switches)))
    pairs = given.pop("set", [])
    del given["argv"]
    own = own_actions()
    found = []
    for name, written in given.items():
        setting, where = ALIASES.get(name, name), _flag(name) if name != "env" else "ENV"
        if setting in own:
            value = mapping_of(written, where) if setting == "env_config" else written
            found.append(Said(setting, value, where, "flag"))
        else:
            found.append(_said(fields[setting], written, where, "flag"))
    return found + [_said_by_set(pair, fields) for pair in pairs]


def said_in_file(path: str) -> list[Said]:
    """Every setting that a TOML or YAML file gives a value, under any of its names."""
    written = [(str(key).replace("-", "_"), f"{path}: {key}", value) for key, value in read_file(path).items()]
    fields = _fields_for([name for name, _, _ in written])
    own = {name: action for name, action in own_actions().items() if name not in _NOT_IN_A_FILE}
    found = []
    for name, where, value in written:
        setting = ALIASES.get(name, name)
        if setting in fields and setting not in own:
            found.append(_said(fields[setting], value, where, f"file {path}"))
        elif setting not in own:
            refuse_dropped(name, where, fields)
            hint = did_you_mean(name, [*own, *fields, *ALIASES])
            raise UsageError(f"{where} is no setting.", hint or "`grpo-env train --help-all` shows all.")
        elif value is not None:
            found.append(Said(setting, _own_value(own[setting], value, where), where, f"file {path}"))
    return found


def _fields_for(names: Sequence[str]) -> Mapping[str, Field]:
    """TRL's fields, unless every name is ours: then nobody waits for TRL's import."""
    own = own_actions()
    return trainer_fields() if any(ALIASES.get(name, name) not in own or name == "set" for name in names) else {}


def _is_switch(name: str, fields: Mapping[str, Field]) -> bool:
    setting = ALIASES.get(name, name)
    return setting in fields and fields[setting].is_switch


def _said(field: Field, written: Any, where: str, source: str) -> Said:
    return Said(field.name, value_of(field, written, where), where, source, field.part)


def _said_by_set(pair: str, fields: Mapping[str, Field]) -> Said:
    """What `--set key=value` says."""
    key, equals, written = pair.partition("=")
    name = key.strip().replace("-", "_")
    setting = ALIASES.get(name, name)
    where = f"--set {key}"
    if not equals:
        raise UsageError(f"{where} has no value.", "Like: --set learning_rate=1e-5")
    if setting in own_actions():
        raise UsageError(f"{where} is not for --set.", f"It has a flag of its own: {_flag(setting)}.")
    if setting not in fields:
        refuse_dropped(name, where, fields)
        hint = did_you_mean(name, fields)
        raise UsageError(f"{where} is no field of TRL's configs.", hint or "`grpo-env train --help-all` shows all.")
    return _said(fields[setting], written, where, "flag")


def _own_value(action: argparse.Action, value: Any, where: str) -> Any:
    """A value of the file for one of our own settings, checked as the flag's would be."""
    if action.dest == "env_config":
        return mapping_of(value, where)
    if action.nargs == 0:
        if isinstance(value, bool):
            return value
        raise UsageError(f"{where} is {value!r}.", "Give true or false.")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{where} is {value!r:.80}.", "Give a text or a number.")
    try:
        typed = action.type(str(value)) if callable(action.type) else str(value)
    except argparse.ArgumentTypeError as exc:
        raise UsageError(f"{where}: {exc}.", "Correct it there.") from exc
    if action.choices is not None and typed not in action.choices:
        raise UsageError(f"{where} is {typed!r}.", f"Give one of {', '.join(action.choices)}.")
    return typed


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
