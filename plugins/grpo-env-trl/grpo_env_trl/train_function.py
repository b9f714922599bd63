"""`train(...)` and `plan_training(...)`: `grpo-env train` for programs."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import MANIFEST, UsageError, naming_arguments, with_arguments
from grpo_env_trl import ranks
from grpo_env_trl.costs.cost_plan import CostPlan
from grpo_env_trl.costs.planning import plan_of
from grpo_env_trl.env_weights import shares_in
from grpo_env_trl.launching.from_program import starts_processes, train_in_processes
from grpo_env_trl.outside_rewards.calling import listed
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.run_config import config_to_resume
from grpo_env_trl.runs.training_interrupt import TrainingInterrupt
from grpo_env_trl.settings import TrainSettings, settings_from_arguments
from grpo_env_trl.settings.layers import NOT_IN_A_PROGRAM, values_from_arguments
from grpo_env_trl.setup.new_folder import take_new_folder
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.quiet import quiet_libraries
from grpo_env_trl.training.session import check_ready, run_training

_TRAINS_NOTHING = {
    "plan": "Call plan_training with the same arguments.",
    "dry_run": "Leave it out, or check all on the command line: grpo-env train ... --dry-run",
    "print_config": "Leave it out, or print it on the command line: grpo-env train ... --print-config",
}
"""Settings of the command, and what to do in a program."""


def _argument_of(flag: str) -> str | None:
    return None if flag in NOT_IN_A_PROGRAM or flag in (*_TRAINS_NOTHING, "json", "force") else flag


@naming_arguments(_argument_of)
def train(
    env: Any = None, model: Any = None, *, tokenizer: Any = None, callbacks: Sequence[Any] = (),
    reward_funcs: Any = (), reward_processing_classes: Sequence[Any] | None = None, **config: Any,
) -> TrainingRun:  # fmt: skip
    """Train a model on an environment, as `grpo-env train` does; returns the run with its metrics, paths and scores.

    ```python
    train("hotel-v1", "Qwen/Qwen3-0.6B", use_peft=True, max_steps=200, env_config={"difficulty": "easy"})
    ```

    Args:
        env: A name, class or instance; None where `rl_env_module` and `rl_env_class` name it. Several are a list, or
            a mapping from them to weights: `{"hotel-v1": 2, "arithmetic-v1": 1}`; `env_config` is by name then.
        model: A hub id, a folder, a run, or a loaded model with its `tokenizer`; None is the built-in demo model.
        callbacks: More callbacks for the trainer.
        reward_funcs: Reward functions beside the environment's score, as TRL takes them: functions, objects that are
            called, names as for `--reward-func`, and reward models, loaded or by name. `reward_weights` weighs them.
        reward_processing_classes: The tokenizers of loaded reward models, one entry for each of `reward_funcs`.
        config: Settings by their names on the command line, with underscores: those of TRL's `GRPOConfig` and
            `ModelConfig`, ours, and their other names, such as `lr` or `peft`. `resume="runs/mine"` goes on with a run
            and its settings, as does `resume=True` with `out`, which begins it where there is none. With
            `num_processes` or `accelerate_config` processes of their own train, for which everything is a name.
    """
    settings, arguments, given = _asked(env, model, tokenizer, reward_funcs, reward_processing_classes, config)
    for flag, instead in _TRAINS_NOTHING.items():
        if getattr(settings, flag):
            raise UsageError(f"train({flag}=True) would train nothing.", instead)
    if run := train_in_processes(settings, arguments, _objects({**given, "callbacks": callbacks}, settings)):
        return run
    with ranks.print_once():
        setup = prepare(settings, **given)
        display = Display(settings.sample_every, settings.quiet, silent=not ranks.is_first())
        with quiet_libraries(), display:
            check_ready(setup, _warn)
            take_new_folder(setup)
            try:
                made = run_training(setup, display, callbacks)
            except KeyboardInterrupt:
                raise TrainingInterrupt(setup.folder) from None
    if not made.finished:
        raise TrainingInterrupt(made.run, made)
    return made


@naming_arguments(_argument_of)
def plan_training(
    env: Any = None, model: Any = None, *, tokenizer: Any = None, reward_funcs: Any = (),
    reward_processing_classes: Sequence[Any] | None = None, **config: Any,
) -> CostPlan:  # fmt: skip
    """What `train` with the same arguments would cost, as `grpo-env train --plan` finds it; nothing is trained.

    ```python
    plan_training("hotel-v1", "Qwen/Qwen3-0.6B", use_peft=True, max_steps=200).training_seconds
    ```

    A loaded model gets what TRL adds to it, such as an adapter: load it again to train.
    """
    config = {**config, "plan": True}
    settings, _, given = _asked(env, model, tokenizer, reward_funcs, reward_processing_classes, config)
    with quiet_libraries(), Display(quiet=settings.quiet) as display:
        return plan_of(settings, display.progress, **given)


def _asked(
    env: Any, model: Any, tokenizer: Any, reward_funcs: Any, reward_tokenizers: Sequence[Any] | None,
    config: dict[str, Any],
) -> tuple[TrainSettings, dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The settings of a program's arguments, these without objects, and the objects as `prepare` takes them."""
    env, model, config = (_paths_as_text(value) for value in (env, model, _of_resumed(config)))
    if isinstance(env, Sequence | Mapping) and not isinstance(env, str):
        env, config = _several(env, config)
    of_object = env is not None and not isinstance(env, str)
    named = {name: value for name, value in (("env", env), ("model", model)) if isinstance(value, str)}
    arguments = {**config, **named}
    rewards = listed(reward_funcs)
    settings = settings_from_arguments(arguments, of_object, bool(rewards))
    if reward_tokenizers is not None and len(reward_tokenizers) != len(rewards):
        raise UsageError(
            f"There are {len(rewards)} reward_funcs and {len(reward_tokenizers)} reward_processing_classes.",
            "Give one for each, None for a function.",
        )
    loaded_model = None if isinstance(model, str) else model
    if loaded_model is not None and tokenizer is None:
        raise UsageError("A loaded model needs its tokenizer.", "Pass tokenizer=... too.")
    if settings.resume and not starts_processes(settings):
        again = f"train({{}}, resume={settings.resume!r})"
        kept = config_to_resume(settings, values_from_arguments(arguments), again)
        settings = replace(settings_from_arguments(arguments, of_object, bool(rewards), kept), out=None)
    return settings, arguments, {
        "model": loaded_model, "tokenizer": tokenizer, "env": env if of_object else None, "reward_funcs": rewards,
        "reward_tokenizers": reward_tokenizers or (),
    }  # fmt: skip


def _warn(text: str) -> None:
    warnings.warn(with_arguments(text, _argument_of), GrpoEnvWarning, stacklevel=5)


def _of_resumed(config: dict[str, Any]) -> dict[str, Any]:
    """The settings with the folder to resume: with `resume=True` that of `out`, where there is a run."""
    if (resume := config.get("resume")) is not True:
        return {**config, "resume": resume or None}
    if not (out := config.get("out")):
        raise UsageError("resume=True needs out, the folder of the run.", "Like out='runs/mine'.")
    return {**config, "resume": out if (Path(out) / MANIFEST).is_file() else None}


def _paths_as_text(value: Any) -> Any:
    """What was given, with the paths in it as texts, which is what settings are."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value) in (list, tuple):
        return type(value)(map(_paths_as_text, value))
    return {key: _paths_as_text(item) for key, item in value.items()} if type(value) is dict else value


def _objects(given: Mapping[str, Any], settings: TrainSettings) -> list[str]:
    """The arguments that have an object of this process."""
    found = [name for name, value in given.items() if value is not None and value != () and value != []]
    return found + ["envs"] * any(not isinstance(share.env, str) for share in settings.envs)


def _several(envs: Any, config: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The environment, where it is only one, and the settings, which have several."""
    shares = shares_in(envs)
    if len(shares) > 1:
        return None, {**config, "envs": shares}
    own = {"env_config": dict(shares[0].config)} if shares[0].config else {}
    return shares[0].env, {**own, **config}
