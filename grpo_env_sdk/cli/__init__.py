"""The command line: parse, call the library, print. Each command is imported only when it is used."""

import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from grpo_env_sdk.cli.output import json_alone, print_json
from grpo_env_sdk.errors import AmbiguousNameError, GrpoEnvError, GrpoEnvWarning, UsageError, did_you_mean

COMMANDS = {
    "list": "every environment that is installed",
    "info": "what an environment is: rows, tools, rewards, config",
    "init": "begin an environment package of your own",
    "play": "be the policy of one episode, or watch its gold solution",
    "test": "check an environment for bugs, reward hacking and learning signal",
    "eval": "measure a policy on environments",
    "runs": "list, show or remove runs on disk",
    "diff": "compare two runs row by row",
    "rescore": "score the transcripts of a run with today's scorer",
    "view": "read a run in the browser",
}
TRAINER_COMMANDS = ("train", "export")
"""What a trainer brings; named here for whoever has none."""
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 a check failed, 2 could not be done, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a model writes may be no Unicode that a terminal takes
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", GrpoEnvWarning)
    try:
        return _answered(arguments)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _answered(arguments: list[str]) -> int:
    """The exit code, with everything printed and what went wrong told."""
    as_json = "--json" in arguments
    try:
        with json_alone() if as_json else nullcontext():
            code = _dispatch(arguments)
    except GrpoEnvError as exc:
        code = _refuse(exc, as_json)
    sys.stdout.flush()
    return code


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        from grpo_env_sdk.cli.overview import print_overview

        print_overview(COMMANDS)
        return 0
    name, rest = arguments[0], arguments[1:]
    if name in ("-V", "--version"):
        from grpo_env_sdk.cli.overview import print_versions

        print_versions()
        return 0
    if name in COMMANDS:
        return _run(command_module(name), name, rest)
    return _run_plugin_command(name, rest)


def command_module(name: str) -> Any:
    """The module of one of our own commands."""
    file = "testing" if name == "test" else name  # test runners take files called test_* for tests
    return import_module(f"grpo_env_sdk.cli.{file}_command")


def _run(module: Any, name: str, arguments: list[str]) -> int:
    from grpo_env_sdk.cli.parser import Parser

    parser = Parser(f"grpo-env {name}", COMMANDS[name], module.EXAMPLE)
    module.configure(parser)
    return int(module.run(parser.parse_args(arguments)) or 0)


def _run_plugin_command(name: str, arguments: list[str]) -> int:
    from grpo_env_sdk.hookspecs import CommandSpec
    from grpo_env_sdk.isolation.imports import import_object
    from grpo_env_sdk.registry.plugins import call_each_for_items

    offered = list(call_each_for_items("grpo_env_register_commands", CommandSpec))
    bring = {spec.target: who for who, spec in offered if spec.name == name}
    if len(bring) > 1:
        who = " and ".join(plugin.partition(":")[0] for plugin in bring.values())
        raise AmbiguousNameError(f"The command {name!r} is brought by {who}.", "pip uninstall all of them but one.")
    for target, plugin in bring.items():
        return int(import_object(target, f"the command {name!r} of {plugin}")(arguments) or 0)
    raise _no_command(name, [spec.name for _, spec in offered])


def _no_command(name: str, offered: list[str]) -> UsageError:
    """Names what may have been meant, and the package that brings it where that is not installed."""
    if name in TRAINER_COMMANDS:
        return UsageError(f"`grpo-env {name}` needs a trainer, and none is installed.", "pip install grpo-env-trl")
    kind = "option" if name.startswith("-") else "command"
    hint = did_you_mean(name, [*COMMANDS, *TRAINER_COMMANDS, *offered, "--help", "--version"])
    return UsageError(f"No {kind} named {name!r}.", f"{hint} `grpo-env --help` shows all.".strip())


def _refuse(exc: GrpoEnvError, as_json: bool) -> int:
    if as_json:
        print_json(exc.as_json())
    else:
        print(f"grpo-env: {exc}", file=sys.stderr)
    return 2


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: Any = None,
) -> None:
    if issubclass(category, GrpoEnvWarning):
        print(f"note: {message}", file=sys.stderr)
    else:
        print(f"{filename}:{lineno}: {category.__name__}: {message}", file=sys.stderr)
