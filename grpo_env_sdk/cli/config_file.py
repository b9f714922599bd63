"""Flags from a TOML or YAML file: the same names, checked the same way; flags on the command line win."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.errors import UsageError, did_you_mean


def with_config_file(
    args: argparse.Namespace, configure: Callable[[argparse.ArgumentParser], None]
) -> argparse.Namespace:
    """The flags with `--config FILE` under them: what the command line says wins, also where it says the usual."""
    if not args.config:
        return args
    parser = Parser("--config", "", "")
    configure(parser)
    known = {action.dest: action for action in parser._actions if action.dest not in ("help", "config")}
    lines: list[str] = []
    for key, value in read_file(args.config).items():
        name = key.replace("-", "_")
        if name not in known:
            raise UsageError(
                f"{args.config} has {key!r}, which is no flag.",
                did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )
        lines += _as_flags(known[name], value, args.config)
    merged: argparse.Namespace = parser.parse_args([*lines, *args.argv])
    merged.envs = args.envs or merged.envs
    return merged


def _as_flags(action: argparse.Action, value: Any, file: str) -> list[str]:
    """A value of the file as the command line would say it."""
    if action.nargs == "*" or action.nargs == 0:
        if not isinstance(value, bool if action.nargs == 0 else list):
            raise UsageError(f"{file}: {action.dest} is {value!r}.", "Give true or false, or a list.")
        return [str(item) for item in value] if isinstance(value, list) else [*action.option_strings[-1:]] * value
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    return [f"{action.option_strings[-1]}={text}"]


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
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise UsageError(f"{path} holds no names with values.", "Write lines like: samples = 4")
    return found
