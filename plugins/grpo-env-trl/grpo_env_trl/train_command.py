"""`grpo-env train`: train a model on an environment."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grpo_env_sdk import GrpoEnvError, open_run
from grpo_env_sdk.ext import (
    INTERRUPTED,
    LiveRows,
    Watcher,
    check_free,
    check_idle,
    print_json,
    print_table,
    say,
    signals_interrupt,
)
from grpo_env_trl import ranks
from grpo_env_trl.continuing import command_to_continue
from grpo_env_trl.interrupted import says_how_to_go_on
from grpo_env_trl.launching.attached import attach, is_attached
from grpo_env_trl.launching.launch import launched
from grpo_env_trl.launching.plan import check_flags
from grpo_env_trl.preflight.packages import check_vllm
from grpo_env_trl.preflight.versions import check_versions
from grpo_env_trl.runs.resuming import check_steps_left
from grpo_env_trl.runs.run_config import config_to_resume
from grpo_env_trl.runs.run_folder import RunFolder, check_unfinished
from grpo_env_trl.settings import TrainSettings, read_settings
from grpo_env_trl.settings.before_import import common_switches
from grpo_env_trl.settings.flags import train_parser
from grpo_env_trl.settings.layers import normalized, values_from_command_line
from grpo_env_trl.settings.other_names import ALIASES
from grpo_env_trl.settings.values import SWITCH_WORDS
from grpo_env_trl.setup.new_folder import take_new_folder
from grpo_env_trl.setup.preparing import TrainingSetup, prepare

if TYPE_CHECKING:
    from grpo_env_trl.preflight.planned_training import PlannedTraining


def run(argv: Sequence[str]) -> int:
    """Read the settings, then train, or print what would be trained."""
    with signals_interrupt(), ranks.print_once():
        check_versions()
        attach()
        settings = settings_of(argv)
        if settings.plan:
            return _show_costs(settings)
        if processes := launched(settings, argv):
            return processes.wait()
        setup = prepare(settings)
        from grpo_env_trl.training.quiet import quiet_libraries

        with quiet_libraries():
            return _train(setup)


def settings_of(argv: Sequence[str]) -> TrainSettings:
    """The settings of a command line; with `--resume` also those of the run."""
    _refuse_early(argv)
    if sys.stderr.isatty() and ranks.is_first() and not {"-h", "--help", "--quiet"} & {*argv}:
        _say("Reading the settings: importing TRL takes some seconds ...")
    settings = read_settings(argv)
    if not settings.resume:
        return settings
    again = f"grpo-env train {{}} --resume {settings.resume}"
    config = config_to_resume(settings, values_from_command_line(argv), again)
    return replace(read_settings([*argv, "--config", config]), out=None)


def _refuse_early(argv: Sequence[str]) -> None:
    """Raise for machines, folders, steps and packages that do not fit, before TRL is imported, which takes seconds.

    Other mistakes are found later, and with --dry-run these too: it names all at once.
    """
    given = dict[str, Any]()
    with suppress(GrpoEnvError):
        parser = train_parser(all_fields=False)
        read = vars(parser.parse_known_intermixed_args(normalized(argv, common_switches()))[0])
        given = {ALIASES.get(name, name): value for name, value in read.items()}
    check_flags(given, os.environ)
    if "resume" in given:
        _check_resumed(given["resume"], str(given.get("max_steps", "0")))
    elif "out" in given and not given.keys() & {"plan", "config", "dry_run"} and ranks.is_first():
        check_free(Path(given["out"]))
    otherwise = {"plan", "dry_run", "use_transformers_continuous_batching"} & given.keys()
    if SWITCH_WORDS.get(str(given.get("use_vllm")).lower()) and not otherwise:
        check_vllm(given.get("vllm_mode", "colocate"))


def _check_resumed(folder: str, steps: str) -> None:
    """Raise where a run is finished or being written, or has made more steps than it is to have."""
    run, most = None, int(steps) if steps.isdecimal() else 0
    with suppress(GrpoEnvError):
        run = open_run(folder)
    if run:
        check_unfinished(run, most)
        if ranks.is_first():
            check_idle(run)
        if most:
            check_steps_left(run, RunFolder(run.path).newest_whole()[0], most)


def _train(setup: TrainingSetup) -> int:
    from grpo_env_trl.report.messages import end_message, start_message
    from grpo_env_trl.training.display import Display
    from grpo_env_trl.training.session import check_ready, run_training

    settings = setup.settings
    planned = check_ready(setup)
    first = ranks.is_first()
    if settings.print_config:
        if first and settings.json:
            print_json(setup.resolved())
        elif first:
            print(setup.config_text(), end="")
        return 0
    if first:
        _say(start_message(setup))
    if settings.dry_run:
        if first:
            _show_plan(setup, planned)
        return 0
    take_new_folder(setup)
    live = LiveRows(setup.folder, ranks.rank()).path
    command = command_to_continue(setup.folder, settings)
    again = "" if is_attached() else f"Go on in worker processes, where that costs one episode: {command}"
    in_threads = all(env.loaded.pool.kind == "thread" for env in setup.envs)
    watcher = Watcher(live, settings.limits.call_seconds, again, settings.json) if in_threads else nullcontext()
    display = Display(settings.sample_every, settings.quiet, silent=not first)
    with says_how_to_go_on(setup), watcher, display:
        made = run_training(setup, display)
    if first:
        _say(end_message(made, setup))
        if settings.json:
            print_json(made.as_json(command))
    return 0 if made.finished else INTERRUPTED


def _show_plan(setup: TrainingSetup, planned: "Sequence[PlannedTraining]") -> None:
    """The end of a dry run: what the model would read first."""
    from grpo_env_trl.report.first_prompt import first_prompt

    prompts = [first_prompt(each) for each in planned]
    if setup.settings.json:
        shown = [prompt.as_json() if prompt else None for prompt in prompts]
        each = {env.name: {"first_prompt": prompt} for env, prompt in zip(setup.envs, shown, strict=True)}
        config = setup.resolved()
        found = {"run": None, "ready": True, "first_prompt": shown[0], "environments": each, "config": config}
        print_json({**found, "rows_of": setup.chosen.as_json() if setup.chosen else None})
        return
    for env, prompt in zip(setup.envs, prompts, strict=True):
        if prompt:
            say(f"{env.name}: {prompt}" if setup.several else prompt)


def _show_costs(settings: TrainSettings) -> int:
    """Print what the training would cost."""
    from grpo_env_trl.costs.cost_table import HEADERS, heading, rows_of
    from grpo_env_trl.costs.planning import plan_of
    from grpo_env_trl.training.display import Display
    from grpo_env_trl.training.quiet import quiet_libraries

    with quiet_libraries(), Display(quiet=settings.quiet) as display:
        plan = plan_of(settings, display.progress)
    if settings.json:
        print_json(plan.as_json())
        return 0
    say(f"{heading(plan)}\n")
    print_table(HEADERS, [*rows_of(plan)])
    say("\n" + "\n".join([*plan.assumptions, plan.advice]))
    return 0


def _say(text: str) -> None:
    say(text, file=sys.stderr, flush=True)
