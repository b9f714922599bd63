"""`train(...)`: `grpo-env train` for programs."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.ext import UsageError, did_you_mean
from grpo_env_trl import ranks
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.quiet import quiet_libraries
from grpo_env_trl.training.session import check_ready, run_training

_NOT_GIVEN = {"env", "model", "grpo", "model_config", "sources"}


def train(
    env: Any, model: Any = None, *, tokenizer: Any = None, callbacks: Sequence[Any] = (), **config: Any
) -> TrainingRun:
    """Train a model on an environment, as `grpo-env train` does; returns the run with its metrics, paths and scores.

    ```python
    train("hotel-v1", "Qwen/Qwen3-0.6B", use_peft=True, max_steps=200, env_config={"difficulty": "easy"})
    ```

    Args:
        env: A name, class or instance.
        model: A hub id, a folder, a run, or a loaded model with its `tokenizer`; None is the built-in demo model.
        callbacks: More callbacks for the trainer.
        config: Settings by their names on the command line, those of TRL's `GRPOConfig` and `ModelConfig` included.
    """
    named = env if isinstance(env, str) else ""
    settings = _settings(named, model if isinstance(model, str) else None, config)
    loaded_model = None if isinstance(model, str) else model
    if loaded_model is not None and tokenizer is None:
        raise UsageError("A loaded model needs its tokenizer.", "Pass tokenizer=... too.")
    with ranks.print_once():
        setup = prepare(settings, None, loaded_model, tokenizer, None if named else env)
        display = Display(settings.sample_every, settings.quiet or not ranks.is_first())
        with quiet_libraries(), display:
            check_ready(setup)
            return run_training(setup, display, callbacks)


def _settings(env: str, model: str | None, config: dict[str, Any]) -> TrainSettings:
    own = {field.name for field in dataclasses.fields(TrainSettings)} - _NOT_GIVEN
    fields = trainer_fields()
    for name in config:
        if name not in own and name not in fields:
            hint = did_you_mean(name, [*own, *fields]) or "`grpo-env train --help-all` shows all of them."
            raise UsageError(f"train has no setting named {name!r}.", hint)
    said = {name: value for name, value in config.items() if name in own}
    grpo = {name: value for name, value in config.items() if name not in own and fields[name].part == "grpo"}
    others = {name: value for name, value in config.items() if name not in own and name not in grpo}
    sources = dict.fromkeys(config, "argument")
    return TrainSettings(env=env, model=model, grpo=grpo, model_config=others, sources=sources, **said)
