"""Flags from a TOML or YAML file: the same names, checked the same way; flags on the command line win."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.errors import UsageError, did_you_mean


def apply_config_file(args: argparse.Namespace, configure: Callable[[argparse.ArgumentParser], None]) -> None:
    """Fill in from `--config FILE` whatever the command line left at its default."""
    if not args.config:
        return
    parser = Parser("--config", "", "")
    configure(parser)
    known = {action.dest: action for action in parser._actions if action.dest not in ("help", "config")}
    for key, value in read_file(args.config).items():
        name = key.replace("-", "_")
        if name not in known:
            raise UsageError(
                f"{args.config} has {key!r}, which is no flag.",
                did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )
        action = known[name]
        if getattr(args, name) in (action.default, []):  # an argument that takes many is [] by default
            setattr(args, name, _value(parser, action, value, args.config))


def _value(parser: argparse.ArgumentParser, action: argparse.Action, value: Any, file: str) -> Any:
    """The value as the flag itself would have read it."""
    if action.nargs == 0 or action.nargs == "*":
        if not isinstance(value, bool if action.nargs == 0 else list):
            raise UsageError(f"{file}: {action.dest} is {value!r}.", "Give true or false, or a list.")
        return value
    if action.dest in ("env_config", "extra_body") and isinstance(value, dict):
        import json

        return json.dumps(value)
    return getattr(parser.parse_known_args([action.option_strings[-1], str(value)])[0], action.dest)


def read_file(path: str) -> dict[str, Any]:
    """The mapping in a TOML or YAML file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(f"--config {path} cannot be read: {exc}.", "Give a TOML or YAML file.") from exc
    try:
        if path.endswith(".toml"):
            import tomllib

            found: Any = tomllib.loads(text)
        else:
            import yaml

            found = yaml.safe_load(text)
    except Exception as exc:  # two parsers, each with errors of its own
        raise UsageError(f"{path} cannot be parsed: {' '.join(str(exc).split())}.", "Mend it there.") from exc
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no names with values.", "Write lines like: samples = 4")
    return found
