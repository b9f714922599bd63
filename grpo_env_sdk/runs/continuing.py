"""The command or call that goes on with a run, with as many processes and steps as it had last."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.runs.reading import Run

RESUME_WITH = "resume_with"
"""The key of a training's manifest for flags that its config has not: how many processes trained, and for how long."""
_NUMBERS = ("num_processes", "num_machines", "max_steps")
_NAMES = ("accelerate_config",)


def command_to_continue(run: Run) -> str:
    """What goes on with a run, by its manifest: a command, or a call in Python where its policy was an object.

    Of a training that another user wrote it names no file.
    """
    if "rescored_from" in run.manifest:
        return command_line("rescore", run.manifest["rescored_from"])
    if "policy_object" in run.manifest:
        return f"evaluate(..., out={str(run.path)!r}, resume=True)"
    if "training" not in run.manifest:
        return command_line("eval", "--resume", run.path)
    flags = run.manifest.get(RESUME_WITH, {})
    known = (*_NUMBERS, *_NAMES) if run.own else _NUMBERS
    return training_continued(run.path, {name: flags[name] for name in known if name in flags})


def command_to_retry(run: Run) -> str | None:
    """The command that plays the failed episodes of an evaluation again; None where none does."""
    if {"training", "rescored_from", "policy_object"} & run.manifest.keys():
        return None
    return command_line("eval", "--resume", run.path, "--retry-failed")


def training_continued(run: str | Path, flags: Mapping[str, Any]) -> str:
    """The command that goes on with a training; `flags` has settings by their names."""
    words = [word for name, value in flags.items() for word in (f"--{name.replace('_', '-')}", value)]
    return command_line("train", "--resume", run, *words)


def recorded(flags: Mapping[str, Any]) -> dict[str, Any]:
    """What of these flags a manifest keeps: not what differs between the machines of a training."""
    return {name: flags[name] for name in (*_NUMBERS, *_NAMES) if name in flags}
