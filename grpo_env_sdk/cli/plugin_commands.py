"""The commands of plugins: which there are, and running one, whose failure is named as its plugin's."""

import errno
import inspect
import sys
from collections.abc import Collection, Sequence
from typing import Any

from grpo_env_sdk.cli.output import say
from grpo_env_sdk.errors import AmbiguousNameError, BrokenPackageError, GrpoEnvError
from grpo_env_sdk.files.path_errors import ran_out_of_files
from grpo_env_sdk.hookspecs import CommandSpec
from grpo_env_sdk.isolation.calls.imports import import_object
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, foreign_traceback
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.registry.plugins import call_each_for_named

Offered = tuple[str, CommandSpec]
"""A command, after the name of its plugin."""


def offered_commands(ours: Collection[str]) -> list[Offered]:
    """The commands of all plugins; `ours` are names that none can have."""
    return list(call_each_for_named("grpo_env_register_commands", CommandSpec, (*ours, "help")))


def run_plugin_command(name: str, arguments: Sequence[str], offered: Sequence[Offered]) -> int | None:
    """The exit code of a plugin's command; None where no plugin has one of this name."""
    targets = {spec.target: plugin for plugin, spec in offered if spec.name == name}
    if len(targets) > 1:
        who = " and ".join(plugin.partition(":")[0] for plugin in targets.values())
        raise AmbiguousNameError(f"The command {name!r} is provided by {who}.", "pip uninstall all of them but one.")
    for target, plugin in targets.items():
        return _run(target, f"The command {name!r} of {plugin}", list(arguments))
    return None


def _run(target: str, whose: str, arguments: list[str]) -> int:
    function = import_object(target, whose)
    try:
        code = function(arguments)
    except Exception as exc:
        if _is_reported(exc):
            raise
        say(foreign_traceback(exc), file=sys.stderr)
        raise BrokenPackageError(
            f"{whose} failed: {describe_error(exc)}.", "Report it to the plugin's author."
        ) from exc
    if code is None or isinstance(code, int):
        return int(code or 0)
    raise BrokenPackageError(f"{whose} returned {_shown(code)} where its exit code is expected.", _HINT)


_HINT = "Its function takes a list of str, and returns a whole number or None; it is not async."


def _shown(value: Any) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine"
    return short_repr(value)


def _is_reported(exc: Exception) -> bool:
    """Whether the command line has words for an error: ours, and those of files, disks and pipes."""
    if isinstance(exc, GrpoEnvError) or not isinstance(exc, OSError):  # some of ours are both
        return isinstance(exc, GrpoEnvError)
    return exc.filename is not None or exc.errno in (errno.EPIPE, errno.ENOSPC) or bool(ran_out_of_files(exc))
