"""Reinforcement-learning environments for language models, as ordinary pip packages.

Every name below is imported when it is first used, so that listing environments stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_env_sdk.data import load_prompts
    from grpo_env_sdk.environment import Environment
    from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning
    from grpo_env_sdk.evaluation import evaluate
    from grpo_env_sdk.gymnasium_face import to_gymnasium
    from grpo_env_sdk.hookspecs import CommandSpec, hookimpl
    from grpo_env_sdk.loading import load, make
    from grpo_env_sdk.messages import answer_text, call_message
    from grpo_env_sdk.multiturn import MultiTurnEnv
    from grpo_env_sdk.registry import register, spec, specs
    from grpo_env_sdk.rewards import metric, reward
    from grpo_env_sdk.runs import open_run
    from grpo_env_sdk.singleturn import SingleTurnEnv
    from grpo_env_sdk.toolbox import Toolbox
    from grpo_env_sdk.toolenv import ToolEnv
    from grpo_env_sdk.tools import Injected, tool
    from grpo_env_sdk.types import EnvSpec, Episode, Message, Row, ToolCall

__version__ = "0.1.0"

_HOMES = {
    "CommandSpec": "hookspecs",
    "EnvSpec": "types",
    "Environment": "environment",
    "Episode": "types",
    "GrpoEnvError": "errors",
    "GrpoEnvWarning": "errors",
    "Injected": "tools",
    "Message": "types",
    "MultiTurnEnv": "multiturn",
    "Row": "types",
    "SingleTurnEnv": "singleturn",
    "ToolCall": "types",
    "ToolEnv": "toolenv",
    "Toolbox": "toolbox",
    "answer_text": "messages",
    "call_message": "messages",
    "evaluate": "evaluation",
    "hookimpl": "hookspecs",
    "load": "loading",
    "load_prompts": "data",
    "make": "loading",
    "metric": "rewards",
    "open_run": "runs",
    "register": "registry",
    "reward": "rewards",
    "spec": "registry",
    "specs": "registry",
    "to_gymnasium": "gymnasium_face",
    "tool": "tools",
}

__all__ = [
    "CommandSpec",
    "EnvSpec",
    "Environment",
    "Episode",
    "GrpoEnvError",
    "GrpoEnvWarning",
    "Injected",
    "Message",
    "MultiTurnEnv",
    "Row",
    "SingleTurnEnv",
    "ToolCall",
    "ToolEnv",
    "Toolbox",
    "answer_text",
    "call_message",
    "evaluate",
    "hookimpl",
    "load",
    "load_prompts",
    "make",
    "metric",
    "open_run",
    "register",
    "reward",
    "spec",
    "specs",
    "to_gymnasium",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
