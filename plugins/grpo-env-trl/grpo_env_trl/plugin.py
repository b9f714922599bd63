"""What the plugin adds to `grpo-env`; importing it imports neither torch nor TRL."""

import os
from typing import Any

from grpo_env_sdk import CommandSpec, hookimpl
from grpo_env_sdk.ext import did_you_mean
from grpo_env_trl.inference.vllm_name import model_name

_RESERVED = ("gold", "random", "echo")


@hookimpl(trylast=True)
def grpo_env_make_policy(spec: Any) -> Any:
    """The model of a hub id, a folder or a run; None for a name with a prefix or a misspelled reserved word."""
    if not _names_a_model(model_name(spec.model)):
        return None
    from grpo_env_trl.inference.opening import open_policy

    return open_policy(spec)


@hookimpl(trylast=True)
def grpo_env_open_tokenizer(name: str) -> Any:
    """The tokenizer of a hub id, a folder or a run; that of a folder with nothing else, too."""
    name = model_name(name)
    if not _names_a_model(name):
        return None
    from grpo_env_trl.models.loading import open_tokenizer

    return open_tokenizer(name)


def _names_a_model(name: str) -> bool:
    return ":" not in name and (os.path.exists(name) or not did_you_mean(name, _RESERVED))


@hookimpl
def grpo_env_register_commands() -> list[CommandSpec]:
    """`train`, `export`, and `llm` for scripts of aitraining."""
    return [
        CommandSpec("train", "train a model on an environment with GRPO", "grpo_env_trl.train_command:run"),
        CommandSpec("export", "export the model of a training, with a model card", "grpo_env_trl.export_command:run"),
        CommandSpec("llm", "`llm --train` is `train`, for scripts of aitraining", "grpo_env_trl.llm_command:run"),
    ]


@hookimpl
def grpo_env_register_checks() -> list[Any]:
    """`M8xx` check the chat template of a model, and `L901` trains the demo model."""
    from grpo_env_trl.checks import TEMPLATE_CHECKS
    from grpo_env_trl.learning.check import a_small_model_learns_it

    return [*TEMPLATE_CHECKS, a_small_model_learns_it]
