"""The config of a run that goes on, after a look at what prevents that."""

from collections.abc import Collection
from pathlib import Path

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import UsageError, check_idle
from grpo_env_trl import ranks
from grpo_env_trl.runs.resuming import check_kept, check_settings
from grpo_env_trl.runs.run_folder import RunFolder, check_unfinished
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.layers import SettingValue, values_from_file


def config_to_resume(settings: TrainSettings, given: Collection[SettingValue], again: str) -> str:
    """The config file of the run that `settings` resumes; raises where it cannot go on with what is given beside it.

    `again` is how to resume it with the environment named again, in place of `{}`.
    """
    name = str(settings.resume)
    run = open_run(name)
    check_unfinished(run, settings.steps_asked)
    if ranks.is_first():
        check_idle(run)  # before a model is loaded
    config = RunFolder(run.path).config
    if "training" not in run.manifest:
        raise UsageError(f"{name!r} is a run of `grpo-env eval`.", "Use grpo-env eval --resume.")
    if not config.is_file():
        raise UsageError(f"{name!r} has no {config.name}, so its settings are lost.", "Start a new run.")
    if "config" in settings.sources:
        raise UsageError(f"--resume reads the config from {config}.", "Remove --config; flags win over the config.")
    if settings.out and Path(settings.out).resolve() != run.path.resolve():
        raise UsageError(
            f"--resume {name} goes on in that folder, and not in --out {settings.out}.",
            "Leave --out out, or copy the folder and resume the copy.",
        )
    kept = values_from_file(str(config))
    check_settings(run, kept, {value.setting: value.value for value in given}, trust=settings.trust, again=again)
    check_kept(kept, given)
    return str(config)
