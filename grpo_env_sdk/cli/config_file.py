"""Flags from a TOML or YAML file, with the same names and checks as on the command line."""

import argparse
import json
import re
from collections.abc import Callable
from typing import Any

from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.data.named_file import text_of_named
from grpo_env_sdk.errors import UsageError, did_you_mean

_MOST_VALUES = 10_000


def with_config_file(
    args: argparse.Namespace, configure: Callable[[argparse.ArgumentParser], None]
) -> argparse.Namespace:
    """The flags merged with `--config FILE`; the command line takes precedence, even if it gives a default value."""
    if not args.config:
        return args
    parser = Parser(args.config, "", "")
    configure(parser)
    known = {action.dest: action for action in parser._actions if action.dest not in ("help", "config")}
    lines: list[str] = []
    written: dict[str, str] = {}
    for key, value in read_file(args.config).items():
        name = "envs" if key == "env" and "envs" in known else key.replace("-", "_")
        if name not in known:
            raise UsageError(
                f"{args.config} has {key!r}, which is not a flag.",
                did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )
        if name in written:
            raise UsageError(f"{args.config} has both {written[name]!r} and {key!r}.", "They are one flag: remove one.")
        written[name] = key
        lines += _as_flags(known[name], value, args.config)
    try:
        merged: argparse.Namespace = parser.parse_args([*lines, *args.argv])
    except UsageError as exc:
        raise UsageError(f"{args.config}: {exc.message}", "Write its value as on the command line.") from exc
    merged.envs = args.envs or merged.envs
    return merged


def _as_flags(action: argparse.Action, value: Any, file: str) -> list[str]:
    """A value of the file as arguments of the command line."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError(f"{file}: {action.dest} cannot be {value!r}.", "Use true or false.")
        return [*action.option_strings[-1:]] * value
    if action.nargs == "*":
        return [str(item) for item in value] if isinstance(value, list) else [str(value)]
    try:
        text = json.dumps(value) if isinstance(value, dict) else str(value)
    except TypeError as exc:  # a date of TOML or YAML
        raise UsageError(f"{file}: {action.dest} cannot be JSON: {exc}.", "Write dates and times in quotes.") from exc
    return [f"{action.option_strings[-1]}={text}"]


def read_file(path: str) -> dict[str, Any]:
    """The content of a TOML or YAML file."""
    text = text_of_named(path, f"--config {path}", "Name a TOML or YAML file.")
    try:
        if path.endswith(".toml"):
            import tomllib

            found: Any = tomllib.loads(text)
        else:
            import yaml

            found = yaml.safe_load(text)
    except Exception as exc:  # two parsers, each with its own errors
        raise UsageError(_unparsed(path, exc), "Fix the file.") from exc
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise UsageError(f"{path} has no names with values.", "Write lines like: samples = 4")
    if _has_too_many_values(found):
        raise UsageError(f"{path} has more than {_MOST_VALUES} values.", "Aliases of YAML repeat what they name.")
    return found


def _has_too_many_values(value: Any) -> bool:
    left, waiting = _MOST_VALUES, [value]
    while waiting and left:
        left -= 1
        item = waiting.pop()
        waiting += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return not left


def _unparsed(path: str, exc: Any) -> str:
    """`plan.yaml:3 cannot be parsed: ...`, with the line where the parser names one."""
    text = str(exc).replace('"<unicode string>"', path)
    if (mark := getattr(exc, "problem_mark", None)) is not None:  # of YAML
        path, text = f"{path}:{mark.line + 1}", exc.problem or exc.context
    elif found := re.search(r" \(at line (\d+), column \d+\)\Z", text):  # of TOML
        path, text = f"{path}:{found[1]}", text[: found.start()]
    return f"{path} cannot be parsed: {' '.join(text.split())}."
