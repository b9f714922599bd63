"""`train(..., num_processes=N)`: the processes of `grpo-env train --num-processes N`, and the run that they wrote."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grpo_env_sdk import GrpoEnvError, open_run
from grpo_env_sdk.ext import INTERRUPTED, UsageError, training_continued
from grpo_env_trl.launching.launch import launched
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.runs.training_interrupt import TrainingInterrupt
from grpo_env_trl.settings import TrainSettings, read_settings
from grpo_env_trl.settings.field_names import flag_of

_STARTS = ("num_processes", "accelerate_config")
_OF_THE_CALL = {*_STARTS, "quiet", "json", "dry_run", "print_config", "plan"}
"""Arguments that are no settings of the run."""


class TrainingFailedError(GrpoEnvError, RuntimeError):
    """A process of a training failed, and has printed why."""


def train_in_processes(settings: TrainSettings, given: Mapping[str, Any], objects: Sequence[str]) -> TrainingRun | None:
    """Train as the arguments say, in as many processes as they ask for; None where this process is enough.

    Args:
        given: The arguments that the settings were read from.
        objects: Those that have an object of this process, which others cannot see.
    """
    if not starts_processes(settings):
        return None
    asked = {name: value for name, value in given.items() if value is not None}
    _check(asked, objects)
    with TemporaryDirectory(prefix="grpo-env-train-") as folder:
        file = Path(folder) / "arguments.yaml"
        file.write_text(_as_yaml(asked), encoding="utf-8")
        argv = [*_flags(asked), "--config", str(file)]
        processes = launched(read_settings(argv), argv)
        if processes is None:
            return None
        code = processes.wait()
    run = processes.run
    if code == INTERRUPTED and run is None:
        raise KeyboardInterrupt
    if code not in (0, INTERRUPTED) or run is None:
        raise TrainingFailedError("A process of the training failed.", "It has printed why, above.")
    if (made := _result(RunFolder(run))).finished:
        return made
    raise TrainingInterrupt(run, made)


def starts_processes(settings: TrainSettings) -> bool:
    """Whether processes of their own train."""
    return settings.num_processes not in (None, 1) or settings.accelerate_config is not None


def _check(asked: Mapping[str, Any], objects: Sequence[str]) -> None:
    """Raise for what only this process can train, and where signals would not arrive."""
    if objects:
        raise UsageError(
            f"num_processes starts processes that cannot see what {' and '.join(objects)} of this one is.",
            'Give names: "MODULE:CLASS", a model\'s folder, reward_func=["MODULE:FUNCTION"].',
        )
    if "resume" in asked:
        raise UsageError(
            "train(resume=...) goes on in its own process.",
            f"Run {training_continued(asked['resume'], {name: asked[name] for name in _STARTS if name in asked})}",
        )
    if threading.current_thread() is not threading.main_thread():
        raise UsageError("num_processes needs the main thread, which gets Ctrl-C.", "Call train there.")


def _flags(asked: Mapping[str, Any]) -> list[str]:
    named = [name for name in _STARTS if name in asked]
    flags = [word for name in named for word in (flag_of(name), str(asked[name]))]
    return [*flags, "--quiet"] if asked.get("quiet") else flags


def _as_yaml(asked: Mapping[str, Any]) -> str:
    """The arguments as a config file has them."""
    import yaml

    lines = []
    for name, value in asked.items():
        if name in _OF_THE_CALL:
            continue
        if name == "envs":
            value = {share.name: share.as_plain() for share in value}
        try:
            lines.append(yaml.safe_dump({name: value}, sort_keys=False))
        except yaml.representer.RepresenterError as exc:
            raise UsageError(f"{name} is {value!r:.80}, which other processes cannot see.", "Give plain data.") from exc
    return "".join(lines)


def _result(folder: RunFolder) -> TrainingRun:
    """What the processes wrote, as `train` returns it."""
    summary = open_run(folder.path).summary()
    if summary is None:  # stopped by Ctrl-C
        step, _ = folder.newest_whole()
        return TrainingRun(folder.path, step, 0.0, [*folder.logged()], None, finished=False)
    return TrainingRun(
        folder.path, summary["steps"], summary["seconds"], [*folder.logged()], summary["heldout"],
        summary["environments"], summary.get("heldout_compared"), rows_of=summary.get("rows_of"),
    )  # fmt: skip
