"""Reinforcement-learning environments for language models, as ordinary pip packages.

Every name below is imported when it is first used, so that listing environments stays quick.
"""

from typing import TYPE_CHECKING

from grpo_env_sdk.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from grpo_env_sdk.checking.runner.check_env import check_env
    from grpo_env_sdk.data.messages import answer_tag, answer_text, call_message
    from grpo_env_sdk.data.prompts import load_prompts
    from grpo_env_sdk.envs.loading import load, make
    from grpo_env_sdk.envs.model_user import ModelUser
    from grpo_env_sdk.envs.multi_turn import MultiTurnEnv
    from grpo_env_sdk.envs.protocol import Environment
    from grpo_env_sdk.envs.single_turn import SingleTurnEnv
    from grpo_env_sdk.envs.tool_env import ToolEnv
    from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning
    from grpo_env_sdk.evaluation.evaluate import evaluate
    from grpo_env_sdk.evaluation.result import Evaluation
    from grpo_env_sdk.hookspecs import CommandSpec, hookimpl
    from grpo_env_sdk.policies.policy import Policy, Sampling
    from grpo_env_sdk.registry.lookup import register, spec, specs
    from grpo_env_sdk.rewards import metric, reward
    from grpo_env_sdk.rollout.commands import Limits
    from grpo_env_sdk.rollout.gymnasium_adapter import to_gymnasium
    from grpo_env_sdk.runs.reading import Run, open_run
    from grpo_env_sdk.tools.tool import Injected, tool
    from grpo_env_sdk.tools.toolbox import Toolbox
    from grpo_env_sdk.types import EnvSpec, Episode, Message, Row, ToolCall, Turn

__version__ = "0.1.0"

_HOMES = {
    "CommandSpec": "hookspecs",
    "EnvSpec": "types",
    "Environment": "envs.protocol",
    "Episode": "types",
    "Evaluation": "evaluation.result",
    "GrpoEnvError": "errors",
    "GrpoEnvWarning": "errors",
    "Injected": "tools.tool",
    "Limits": "rollout.commands",
    "Message": "types",
    "ModelUser": "envs.model_user",
    "MultiTurnEnv": "envs.multi_turn",
    "Policy": "policies.policy",
    "Row": "types",
    "Run": "runs.reading",
    "Sampling": "policies.policy",
    "SingleTurnEnv": "envs.single_turn",
    "ToolCall": "types",
    "ToolEnv": "envs.tool_env",
    "Toolbox": "tools.toolbox",
    "Turn": "types",
    "answer_tag": "data.messages",
    "answer_text": "data.messages",
    "call_message": "data.messages",
    "check_env": "checking.runner.check_env",
    "evaluate": "evaluation.evaluate",
    "hookimpl": "hookspecs",
    "load": "envs.loading",
    "load_prompts": "data.prompts",
    "make": "envs.loading",
    "metric": "rewards",
    "open_run": "runs.reading",
    "register": "registry.lookup",
    "reward": "rewards",
    "spec": "registry.lookup",
    "specs": "registry.lookup",
    "to_gymnasium": "rollout.gymnasium_adapter",
    "tool": "tools.tool",
}

__all__ = [
    "CommandSpec", "EnvSpec", "Environment", "Episode", "Evaluation", "GrpoEnvError", "GrpoEnvWarning", "Injected",
    "Limits", "Message", "ModelUser", "MultiTurnEnv", "Policy", "Row", "Run", "Sampling", "SingleTurnEnv", "ToolCall",
    "ToolEnv", "Toolbox", "Turn", "answer_tag", "answer_text", "call_message", "check_env", "evaluate", "hookimpl",
    "load", "load_prompts", "make", "metric", "open_run", "register", "reward", "spec", "specs", "to_gymnasium", "tool",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
