"""The command line: parses flags, calls the library, prints. A command is imported only when it is used."""

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import Any

from grpo_env_sdk.cli.output import json_printed, print_error, print_interrupted, say
from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning, UsageError, did_you_mean
from grpo_env_sdk.files.path_errors import ran_out_of_files, unusable_path
from grpo_env_sdk.isolation.calls.command_process import command_process, says_alone
from grpo_env_sdk.isolation.processes.ending_signals import signals_interrupt
from grpo_env_sdk.isolation.processes.lossy_output import (
    lose_what_cannot_be_written,
    lose_what_nobody_reads,
    reader_is_gone,
)
from grpo_env_sdk.isolation.processes.own_stdout import claimed_stdout, discard_output, own_descriptor
from grpo_env_sdk.plain_text import command_line

COMMANDS = {
    "list": "list installed environments",
    "info": "show an environment: rows, tools, rewards, config",
    "init": "create a new environment package",
    "play": "play one episode yourself, or watch its gold solution",
    "test": "check an environment for bugs, reward hacking and learning signal",
    "eval": "evaluate a policy on environments",
    "runs": "list, show, export or delete runs",
    "diff": "compare two runs row by row",
    "rescore": "score the transcripts of a run again with the current environment",
    "view": "view a run in the browser",
}
TRAINER_COMMANDS = ("train", "export")
"""Commands of the trainer plugin; listed here for a helpful error if it is not installed."""
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 success, 1 a check failed, 2 error, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    json_printed.clear()
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a model may write text that the terminal cannot encode
            stream.reconfigure(errors="backslashreplace")
    if argv is None:
        lose_what_cannot_be_written("stderr")
        if arguments[:1] != ["play"]:  # which has no result, and would go on asking
            sys.stdout = lose_what_nobody_reads(sys.stdout.fileno(), sys.stdout)
    warnings.showwarning = partial(_show_warning, set())
    warnings.simplefilter("always", GrpoEnvWarning)
    try:
        return _run_and_report(arguments, own_process=argv is None)
    except KeyboardInterrupt as exc:
        print_interrupted(exc, "--json" in arguments)
        return INTERRUPTED
    except BrokenPipeError:
        if not reader_is_gone(own_descriptor()):
            raise
        discard_output()  # the reader, such as `head`, has closed the pipe
        return 0
    except OSError as exc:
        if exc.errno != errno.ENOSPC:
            raise
        discard_output()
        say(f"grpo-env: The output cannot be written: {exc.strerror}.", file=sys.stderr)
        return 2


def _open_what_is_closed() -> None:
    """Open the null device for each standard stream that the caller closed, so that no file of ours gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            opened = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, opened)
            setattr(sys, f"__{name}__", opened)  # keeps it open where another takes its place


def _run_and_report(arguments: list[str], own_process: bool) -> int:
    """Run the command, and print a `GrpoEnvError`, or an error of the system about files, as one line or as JSON."""
    as_json = "--json" in arguments
    try:
        _check_working_directory()
        with ExitStack() as opened:
            if as_json:
                opened.enter_context(claimed_stdout(for_good=own_process))
            if own_process:
                opened.enter_context(signals_interrupt())
                opened.enter_context(command_process(partial(_print_end, as_json=as_json), as_json))
            code = _dispatch(arguments)
    except GrpoEnvError as exc:
        print_error(exc, as_json)
        code = 2
    except OSError as exc:
        if exc.filename is None and not ran_out_of_files(exc):
            raise
        print_error(unusable_path(exc), as_json)
        code = 2
    sys.stdout.flush()
    return code


def _print_end(exc: GrpoEnvError, as_json: bool) -> None:
    print_error(exc, as_json and says_alone())  # else there would be two objects
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _check_working_directory() -> None:
    try:
        os.getcwd()
    except OSError as exc:
        raise UsageError(
            "The working directory no longer exists.", "cd to another folder, then run this again."
        ) from exc


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        from grpo_env_sdk.cli.overview import print_overview

        print_overview(COMMANDS)
        return 0
    name, rest = arguments[0], arguments[1:]
    if name in ("-V", "--version"):
        from grpo_env_sdk.cli.overview import print_versions

        print_versions("--json" in rest)
        return 0
    if name in COMMANDS:
        return _run(command_module(name), name, rest)
    return _run_plugin_command(name, rest)


def command_module(name: str) -> Any:
    """The module of a built-in command."""
    file = "testing" if name == "test" else name  # test runners collect files named test_*
    return import_module(f"grpo_env_sdk.cli.{file}_command")


def _run(module: Any, name: str, arguments: list[str]) -> int:
    from grpo_env_sdk.cli.parser import Parser

    parser = Parser(f"grpo-env {name}", COMMANDS[name], module.EXAMPLE)
    module.configure(parser)
    return int(module.run(parser.parse_args(arguments)) or 0)


def _run_plugin_command(name: str, arguments: list[str]) -> int:
    from grpo_env_sdk.cli.plugin_commands import offered_commands, run_plugin_command

    offered = offered_commands(COMMANDS)
    code = run_plugin_command(name, arguments, offered)
    if code is None:
        raise _no_command(name, arguments, [spec.name for _, spec in offered])
    return code


def _no_command(name: str, arguments: list[str], offered: list[str]) -> UsageError:
    """An error that suggests a command, or the package that provides it."""
    from grpo_env_sdk.cli import other_names

    if name in TRAINER_COMMANDS:
        return UsageError(
            f"`grpo-env {name}` needs the trainer plugin, which is not installed.", "pip install grpo-env-trl"
        )
    known = [*COMMANDS, *TRAINER_COMMANDS, *offered]
    close = did_you_mean(name, [*known, "--help", "--version"])
    if name.startswith("-") and not close and arguments and arguments[0] in known:
        moved = command_line(arguments[0], *arguments[1:], name)
        return UsageError(f"{name} comes after the command.", f"Like `{moved}`.")
    kind = "option" if name.startswith("-") else "command"
    hint = other_names.meant_by(name, other_names.COMMANDS, known)
    return UsageError(f"No {kind} named {name!r}.", f"{hint or close} `grpo-env --help` lists all.".strip())


def _show_warning(
    noted: set[str],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: Any = None,
) -> None:
    if issubclass(category, GrpoEnvWarning):
        if str(message) not in noted:
            noted.add(str(message))
            say(f"note: {message}", file=sys.stderr)
    else:
        say(f"{filename}:{lineno}: {category.__name__}: {message}", file=sys.stderr)
