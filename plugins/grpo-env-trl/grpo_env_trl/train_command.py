"""`grpo-env train`: train a model on an environment."""

import sys
from collections.abc import Sequence
from dataclasses import replace

from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.output import print_json
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs import open_run
from grpo_env_trl import ranks
from grpo_env_trl.preflight.versions import check_versions
from grpo_env_trl.settings import TrainSettings, read_settings
from grpo_env_trl.setup.preparing import Prepared, prepare


def run(argv: Sequence[str]) -> int:
    """Read the settings, then train, or say what would be trained."""
    with ranks.one_voice():
        check_versions()
        prepared = prepare(settings_of(argv))
        from grpo_env_trl.training.quiet import quiet_libraries

        with quiet_libraries():
            return _train(prepared)


def settings_of(argv: Sequence[str]) -> TrainSettings:
    """What the words ask for; under them, where a run is to be resumed, what that run began with."""
    settings = read_settings(argv)
    if not settings.resume:
        return settings
    config = open_run(settings.resume).path / "config.yaml"
    if "config" in settings.sources:
        raise UsageError(f"--resume takes its config from {config}.", "Leave --config out; flags go over it.")
    return replace(read_settings([*argv, "--config", str(config)]), out=None)


def _train(prepared: Prepared) -> int:
    from grpo_env_trl.report.messages import told_after, told_before
    from grpo_env_trl.training.display import Display
    from grpo_env_trl.training.session import check_ready, run_training

    settings = prepared.settings
    check_ready(prepared)
    first = ranks.is_first()
    if settings.print_config:
        if first:
            print(prepared.config_text(), end="")
        return 0
    if first:
        _say(told_before(prepared))
    if settings.dry_run:
        if first and settings.json:
            print_json({"run": None, "ready": True, "config": prepared.resolved()})
        return 0
    with Display(settings.sample_every, settings.quiet or not first) as display:
        made = run_training(prepared, display)
    if first:
        _say(told_after(made, prepared))
        if settings.json:
            print_json(made.summary)
    return 0 if made.finished else INTERRUPTED


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
