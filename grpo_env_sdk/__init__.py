"""Reinforcement-learning environments for language models, as ordinary pip packages.

Every name below is imported when it is first used, so that listing environments stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_env_sdk.checking.runner.check_env import check_env
    from grpo_env_sdk.data.messages import answer_text, call_message
    from grpo_env_sdk.data.prompts import load_prompts
    from grpo_env_sdk.envs.loading import load, make
    from grpo_env_sdk.envs.multi_turn import MultiTurnEnv
    from grpo_env_sdk.envs.protocol import Environment
    from grpo_env_sdk.envs.single_turn import SingleTurnEnv
    from grpo_env_sdk.envs.tool_env import ToolEnv
    from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning
    from grpo_env_sdk.evaluation.evaluate import evaluate
    from grpo_env_sdk.hookspecs import CommandSpec, hookimpl
    from grpo_env_sdk.registry.lookup import register, spec, specs
    from grpo_env_sdk.rewards import metric, reward
    from grpo_env_sdk.rollout.gymnasium_adapter import to_gymnasium
    from grpo_env_sdk.runs import open_run
    from grpo_env_sdk.tools.tool import Injected, tool
    from grpo_env_sdk.tools.toolbox import Toolbox
    from grpo_env_sdk.types import EnvSpec, Episode, Message, Row, ToolCall

__version__ = "0.1.0"

_HOMES = {
    "CommandSpec": "hookspecs",
    "EnvSpec": "types",
    "Environment": "envs.protocol",
    "Episode": "types",
    "GrpoEnvError": "errors",
    "GrpoEnvWarning": "errors",
    "Injected": "tools.tool",
    "Message": "types",
    "MultiTurnEnv": "envs.multi_turn",
    "Row": "types",
    "SingleTurnEnv": "envs.single_turn",
    "ToolCall": "types",
    "ToolEnv": "envs.tool_env",
    "Toolbox": "tools.toolbox",
    "answer_text": "data.messages",
    "call_message": "data.messages",
    "check_env": "checking.runner.check_env",
    "evaluate": "evaluation.evaluate",
    "hookimpl": "hookspecs",
    "load": "envs.loading",
    "load_prompts": "data.prompts",
    "make": "envs.loading",
    "metric": "rewards",
    "open_run": "runs",
    "register": "registry.lookup",
    "reward": "rewards",
    "spec": "registry.lookup",
    "specs": "registry.lookup",
    "to_gymnasium": "rollout.gymnasium_adapter",
    "tool": "tools.tool",
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
    "check_env",
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
